import { type AnyRoute, createRoute } from '@tanstack/react-router';
import { listSearch } from '../../api/list-search.ts';
import { lazyScreen } from '../../lazy-screen.ts';

const loadFeature = () => import('./list.tsx');

export const pageRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: 'pages',
    component: lazyScreen(loadFeature, 'PageList'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'pages/$pageId',
    component: lazyScreen(() => import('./page.tsx'), 'PageScreen'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'pages/$pageId/preview',
    validateSearch: listSearch('revision', 'locale'),
    component: lazyScreen(() => import('./preview.tsx'), 'PagePreview'),
  }),
];
