export { CategoryList } from './categories.tsx';
export { ArticleList } from './list.tsx';
