import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { listSearch } from '../../api/list-search.ts';

const room = () => import('./index.tsx');

export const apiKeyRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: 'api-keys',
    validateSearch: listSearch(),
    component: lazyRouteComponent(room, 'ApiKeyList'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'api-keys/new',
    component: lazyRouteComponent(room, 'NewApiKey'),
  }),
];
