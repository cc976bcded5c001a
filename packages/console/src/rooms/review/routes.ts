import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { listSearch } from '../../api/list-search.ts';

const room = () => import('./index.tsx');

export const reviewRoutes = (inside: AnyRoute) => [
  createRoute({
    getParentRoute: () => inside,
    path: 'review',
    validateSearch: listSearch('state'),
    component: lazyRouteComponent(room, 'Queue'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: 'review/$versionId',
    component: lazyRouteComponent(room, 'ReviewScreen'),
  }),
];
