import { type AnyRoute, createRoute } from '@tanstack/react-router';
import { listSearch } from '../../api/list-search.ts';
import { lazyScreen } from '../../lazy-screen.ts';

// Each screen is a chunk of its own.

export const developerRoutes = (inside: AnyRoute) => [
  createRoute({
    getParentRoute: () => inside,
    path: 'orgs',
    validateSearch: listSearch(),
    component: lazyScreen(() => import('./orgs.tsx'), 'OrgList'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: 'orgs/$orgId',
    validateSearch: listSearch('tab', 'actor', 'action'),
    component: lazyScreen(() => import('./org.tsx'), 'OrgScreen'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: 'orgs/$orgId/apps/$appId',
    validateSearch: listSearch('tab', 'status', 'state', 'delivery'),
    component: lazyScreen(() => import('./app.tsx'), 'AppScreen'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: 'orgs/$orgId/apps/$appId/versions/new',
    validateSearch: listSearch('from'),
    component: lazyScreen(() => import('./new-version.tsx'), 'NewVersion'),
  }),
  createRoute({
    getParentRoute: () => inside,
    path: 'orgs/$orgId/apps/$appId/versions/$versionId',
    component: lazyScreen(() => import('./version.tsx'), 'VersionScreen'),
  }),
];
