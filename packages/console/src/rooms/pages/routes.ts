import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { listSearch } from '../../api/list-search.ts';

const room = () => import('./index.tsx');

export const pageRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: 'pages',
    component: lazyRouteComponent(room, 'PageList'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'pages/$pageId',
    component: lazyRouteComponent(room, 'PageScreen'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'pages/$pageId/preview',
    validateSearch: listSearch('revision', 'locale'),
    component: lazyRouteComponent(() => import('./preview.tsx'), 'PagePreview'),
  }),
];
