import { listSearch } from '../../api/list-search.ts';
import { lazyScreen, type Route } from '../../router/screens.ts';

// The tree and the form are separate chunks, as they share little code.
export const categoryRoutes: readonly Route[] = [
  {
    path: 'categories',
    screen: lazyScreen(() => import('./list.tsx'), 'CategoryTree'),
  },
  {
    path: 'categories/:categoryId',
    search: listSearch('parent'),
    screen: lazyScreen(() => import('./category.tsx'), 'CategoryScreen'),
  },
];
