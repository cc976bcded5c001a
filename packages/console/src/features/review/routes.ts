import { type AnyRoute, createRoute } from '@tanstack/react-router';
import { listSearch } from '../../api/list-search.ts';
import { lazyScreen } from '../../lazy-screen.ts';

const loadFeature = () => import('./index.tsx');

export const reviewRoutes = (inside: AnyRoute) => [
  createRoute({
    getParentRoute: () => inside,
    path: 'review',
    validateSearch: listSearch('state'),
    component: lazyScreen(loadFeature, 'Queue'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: 'review/$versionId',
    component: lazyScreen(loadFeature, 'ReviewScreen'),
  }),
];
