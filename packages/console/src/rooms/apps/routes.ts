import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { listSearch } from '../../api/list-search.ts';

const room = () => import('./index.tsx');

export const appsRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: 'apps',
    validateSearch: listSearch(),
    component: lazyRouteComponent(room, 'InstalledApps'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'apps/directory',
    validateSearch: listSearch(),
    component: lazyRouteComponent(room, 'Directory'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'apps/$appId',
    component: lazyRouteComponent(room, 'AppScreen'),
  }),
];
