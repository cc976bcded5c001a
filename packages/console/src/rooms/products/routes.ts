import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { listSearch } from '../../api/list-search.ts';

// Each screen is a chunk of its own: the list is what most come for.
export const productRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: 'products',
    validateSearch: listSearch('status'),
    component: lazyRouteComponent(() => import('./list.tsx'), 'ProductList'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'products/import',
    component: lazyRouteComponent(() => import('./import.tsx'), 'ImportScreen'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'products/$productId',
    component: lazyRouteComponent(() => import('./product.tsx'), 'ProductScreen'),
  }),
];
