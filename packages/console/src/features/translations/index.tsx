export { TranslationList } from './list.tsx';
export { TranslationScreen } from './thing.tsx';
