import { listSearch } from '../../api/list-search.ts';
import { lazyScreen, type Route } from '../../router/screens.ts';

export const memberRoutes: readonly Route[] = [
  {
    path: 'members',
    search: listSearch(),
    screen: lazyScreen(() => import('./index.tsx'), 'Members'),
  },
];
