export { TranslationScreen } from './item.tsx';
export { TranslationList } from './list.tsx';
