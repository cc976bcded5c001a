export { PageList } from './list.tsx';
export { PageScreen } from './page.tsx';
