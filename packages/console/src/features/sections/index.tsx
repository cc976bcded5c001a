export { SectionList } from './list.tsx';
export { SectionScreen } from './section.tsx';
