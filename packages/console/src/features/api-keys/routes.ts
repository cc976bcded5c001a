import { type AnyRoute, createRoute } from '@tanstack/react-router';
import { listSearch } from '../../api/list-search.ts';
import { lazyScreen } from '../../lazy-screen.ts';

const loadFeature = () => import('./index.tsx');

export const apiKeyRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: 'api-keys',
    validateSearch: listSearch(),
    component: lazyScreen(loadFeature, 'ApiKeyList'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'api-keys/new',
    component: lazyScreen(loadFeature, 'NewApiKey'),
  }),
];
