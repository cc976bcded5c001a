export { SubmissionList } from './list.tsx';
export { SubmissionScreen } from './submission.tsx';
