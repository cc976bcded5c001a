import { type AnyRoute, createRoute } from '@tanstack/react-router';
import { listSearch } from '../../api/list-search.ts';
import { lazyScreen } from '../../lazy-screen.ts';

const loadFeature = () => import('./index.tsx');

export const appsRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: 'apps',
    validateSearch: listSearch(),
    component: lazyScreen(loadFeature, 'InstalledApps'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'apps/directory',
    validateSearch: listSearch(),
    component: lazyScreen(loadFeature, 'Directory'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'apps/$appId',
    component: lazyScreen(loadFeature, 'AppScreen'),
  }),
];
