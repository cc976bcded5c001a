import { listSearch } from '../../api/list-search.ts';
import { lazyScreen, type Route } from '../../router/screens.ts';

export const storesRoutes: readonly Route[] = [
  {
    path: 'stores',
    search: listSearch(),
    // A chunk of its own, because a new user has no list yet.
    screen: lazyScreen(() => import('./list.tsx'), 'StoreList'),
  },
  {
    path: 'stores/new',
    screen: lazyScreen(() => import('./index.tsx'), 'NewStore'),
  },
];
