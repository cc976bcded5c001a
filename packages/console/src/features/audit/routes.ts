import { listSearch } from '../../api/list-search.ts';
import { lazyScreen, type Route } from '../../router/screens.ts';

export const auditRoutes: readonly Route[] = [
  {
    path: 'audit',
    search: listSearch('actor', 'action'),
    screen: lazyScreen(() => import('./index.tsx'), 'Audit'),
  },
];
