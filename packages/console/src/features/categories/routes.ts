import { type AnyRoute, createRoute } from '@tanstack/react-router';
import { listSearch } from '../../api/list-search.ts';
import { lazyScreen } from '../../lazy-screen.ts';

// The tree and the form are separate chunks, as they share little code.
export const categoryRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: 'categories',
    component: lazyScreen(() => import('./list.tsx'), 'CategoryTree'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'categories/$categoryId',
    validateSearch: listSearch('parent'),
    component: lazyScreen(() => import('./category.tsx'), 'CategoryScreen'),
  }),
];
