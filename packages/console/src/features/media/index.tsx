export { MediaScreen } from './file.tsx';
export { MediaList } from './list.tsx';
