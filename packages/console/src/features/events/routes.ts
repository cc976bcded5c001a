import { type AnyRoute, createRoute } from '@tanstack/react-router';
import { listSearch } from '../../api/list-search.ts';
import { lazyScreen } from '../../lazy-screen.ts';

const loadFeature = () => import('./index.tsx');

export const eventRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: 'events',
    validateSearch: listSearch('type', 'period'),
    component: lazyScreen(loadFeature, 'EventList'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'events/$eventId',
    component: lazyScreen(loadFeature, 'EventScreen'),
  }),
];
