import { type AnyRoute, createRoute } from '@tanstack/react-router';
import { listSearch } from '../../api/list-search.ts';
import { lazyScreen } from '../../lazy-screen.ts';

const loadFeature = () => import('./index.tsx');

export const blogRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: 'blog',
    validateSearch: listSearch('status', 'categoryId'),
    component: lazyScreen(loadFeature, 'ArticleList'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'blog/categories',
    component: lazyScreen(loadFeature, 'CategoryList'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'blog/$articleId',
    component: lazyScreen(() => import('./article.tsx'), 'ArticleScreen'),
  }),
];
