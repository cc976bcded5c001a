import { type AnyRoute, createRoute } from '@tanstack/react-router';
import { listSearch } from '../../api/list-search.ts';
import { lazyScreen } from '../../lazy-screen.ts';

const room = () => import('./index.tsx');

export const eventRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: 'events',
    validateSearch: listSearch('type', 'period'),
    component: lazyScreen(room, 'EventList'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'events/$eventId',
    component: lazyScreen(room, 'EventScreen'),
  }),
];
