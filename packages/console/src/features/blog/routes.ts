import { listSearch } from '../../api/list-search.ts';
import { lazyScreen, type Route } from '../../router/screens.ts';

const loadFeature = () => import('./index.tsx');

export const blogRoutes: readonly Route[] = [
  {
    path: 'blog',
    search: listSearch('status', 'categoryId'),
    screen: lazyScreen(loadFeature, 'ArticleList'),
  },
  {
    path: 'blog/categories',
    screen: lazyScreen(loadFeature, 'CategoryList'),
  },
  {
    path: 'blog/:articleId',
    screen: lazyScreen(() => import('./article.tsx'), 'ArticleScreen'),
  },
];
