export { Queue } from './queue.tsx';
export { ReviewScreen } from './review.tsx';
