import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { listSearch } from '../../api/list-search.ts';

const room = () => import('./index.tsx');

export const blogRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: 'blog',
    validateSearch: listSearch('status', 'categoryId'),
    component: lazyRouteComponent(room, 'ArticleList'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'blog/categories',
    component: lazyRouteComponent(room, 'CategoryList'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'blog/$articleId',
    component: lazyRouteComponent(room, 'ArticleScreen'),
  }),
];
