import { listSearch } from '../../api/list-search.ts';
import { lazyScreen, type Route } from '../../router/screens.ts';

// Each screen is a chunk of its own.

export const developerRoutes: readonly Route[] = [
  {
    path: 'orgs',
    search: listSearch(),
    screen: lazyScreen(() => import('./orgs.tsx'), 'OrgList'),
  },
  {
    path: 'orgs/:orgId',
    search: listSearch('tab', 'actor', 'action'),
    screen: lazyScreen(() => import('./org.tsx'), 'OrgScreen'),
  },
  {
    path: 'orgs/:orgId/apps/:appId',
    search: listSearch('tab', 'status', 'state', 'delivery'),
    screen: lazyScreen(() => import('./app.tsx'), 'AppScreen'),
  },
  {
    path: 'orgs/:orgId/apps/:appId/versions/new',
    search: listSearch('from'),
    screen: lazyScreen(() => import('./new-version.tsx'), 'NewVersion'),
  },
  {
    path: 'orgs/:orgId/apps/:appId/versions/:versionId',
    screen: lazyScreen(() => import('./version.tsx'), 'VersionScreen'),
  },
];
