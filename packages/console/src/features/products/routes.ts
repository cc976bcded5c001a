import { type AnyRoute, createRoute } from '@tanstack/react-router';
import { listSearch } from '../../api/list-search.ts';
import { lazyScreen } from '../../lazy-screen.ts';
import { productScreen } from './product-screen.ts';

// Each screen is a chunk of its own, because most visits need only the list.
export const productRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: 'products',
    validateSearch: listSearch('status'),
    component: lazyScreen(() => import('./list.tsx'), 'ProductList'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'products/import',
    component: lazyScreen(() => import('./import.tsx'), 'ImportScreen'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'products/$productId',
    component: productScreen,
  }),
];
