import { listSearch } from '../../api/list-search.ts';
import { lazyScreen, type Route } from '../../router/screens.ts';

const loadFeature = () => import('./index.tsx');

export const appsRoutes: readonly Route[] = [
  {
    path: 'apps',
    search: listSearch(),
    screen: lazyScreen(loadFeature, 'InstalledApps'),
  },
  {
    path: 'apps/directory',
    search: listSearch(),
    screen: lazyScreen(loadFeature, 'Directory'),
  },
  {
    path: 'apps/:appId',
    screen: lazyScreen(loadFeature, 'AppScreen'),
  },
];
