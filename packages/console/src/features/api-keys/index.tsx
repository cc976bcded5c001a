export { ApiKeyList } from './list.tsx';
export { NewApiKey } from './new.tsx';
