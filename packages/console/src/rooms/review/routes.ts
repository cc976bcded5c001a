import { type AnyRoute, createRoute } from '@tanstack/react-router';
import { listSearch } from '../../api/list-search.ts';
import { lazyScreen } from '../../lazy-screen.ts';

const room = () => import('./index.tsx');

export const reviewRoutes = (inside: AnyRoute) => [
  createRoute({
    getParentRoute: () => inside,
    path: 'review',
    validateSearch: listSearch('state'),
    component: lazyScreen(room, 'Queue'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: 'review/$versionId',
    component: lazyScreen(room, 'ReviewScreen'),
  }),
];
