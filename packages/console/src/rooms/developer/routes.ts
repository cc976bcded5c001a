import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { listSearch } from '../../api/list-search.ts';

// Each screen is a chunk of its own.

export const developerRoutes = (inside: AnyRoute) => [
  createRoute({
    getParentRoute: () => inside,
    path: 'orgs',
    validateSearch: listSearch(),
    component: lazyRouteComponent(() => import('./orgs.tsx'), 'OrgList'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: 'orgs/$orgId',
    validateSearch: listSearch('tab', 'actor', 'action'),
    component: lazyRouteComponent(() => import('./org.tsx'), 'OrgScreen'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: 'orgs/$orgId/apps/$appId',
    validateSearch: listSearch('tab', 'status', 'state', 'delivery'),
    component: lazyRouteComponent(() => import('./app.tsx'), 'AppScreen'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: 'orgs/$orgId/apps/$appId/versions/new',
    validateSearch: listSearch('from'),
    component: lazyRouteComponent(() => import('./new-version.tsx'), 'NewVersion'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: 'orgs/$orgId/apps/$appId/versions/$versionId',
    component: lazyRouteComponent(() => import('./version.tsx'), 'VersionScreen'),
  }),
];
