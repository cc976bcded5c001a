import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { listSearch } from '../../api/list.ts';

const room = () => import('./index.tsx');

export const developerRoutes = (inside: AnyRoute) => [
  createRoute({
    getParentRoute: () => inside,
    path: 'orgs',
    validateSearch: listSearch(),
    component: lazyRouteComponent(room, 'OrgList'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: 'orgs/$orgId',
    validateSearch: listSearch('tab'),
    component: lazyRouteComponent(room, 'OrgScreen'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: 'orgs/$orgId/apps/$appId',
    validateSearch: listSearch('tab', 'status', 'state', 'delivery'),
    component: lazyRouteComponent(room, 'AppScreen'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: 'orgs/$orgId/apps/$appId/versions/new',
    validateSearch: listSearch('from'),
    component: lazyRouteComponent(room, 'NewVersion'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: 'orgs/$orgId/apps/$appId/versions/$versionId',
    component: lazyRouteComponent(room, 'VersionScreen'),
  }),
];
