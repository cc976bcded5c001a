import { listSearch } from '../../api/list-search.ts';
import { lazyScreen, type Route } from '../../router/screens.ts';

const loadFeature = () => import('./index.tsx');

export const apiKeyRoutes: readonly Route[] = [
  {
    path: 'api-keys',
    search: listSearch(),
    screen: lazyScreen(loadFeature, 'ApiKeyList'),
  },
  {
    path: 'api-keys/new',
    screen: lazyScreen(loadFeature, 'NewApiKey'),
  },
];
