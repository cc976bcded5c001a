export { ArticleScreen } from './article.tsx';
export { CategoryList } from './categories.tsx';
export { ArticleList } from './list.tsx';
