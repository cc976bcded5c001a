import { listSearch } from '../../api/list-search.ts';
import { lazyScreen, type Route } from '../../router/screens.ts';

const loadFeature = () => import('./index.tsx');

export const reviewRoutes: readonly Route[] = [
  {
    path: 'review',
    search: listSearch('state'),
    screen: lazyScreen(loadFeature, 'Queue'),
  },
  {
    path: 'review/:versionId',
    screen: lazyScreen(loadFeature, 'ReviewScreen'),
  },
];
