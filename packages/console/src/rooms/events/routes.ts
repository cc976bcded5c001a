import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { listSearch } from '../../api/list-search.ts';

const room = () => import('./index.tsx');

export const eventRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: 'events',
    validateSearch: listSearch('type', 'period'),
    component: lazyRouteComponent(room, 'EventList'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'events/$eventId',
    component: lazyRouteComponent(room, 'EventScreen'),
  }),
];
