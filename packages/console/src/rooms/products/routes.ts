import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { listSearch } from '../../api/list.ts';

const room = () => import('./index.tsx');

export const productRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: 'products',
    validateSearch: listSearch('status'),
    component: lazyRouteComponent(room, 'ProductList'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'products/import',
    component: lazyRouteComponent(() => import('./import.tsx'), 'ImportScreen'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'products/$productId',
    component: lazyRouteComponent(room, 'ProductScreen'),
  }),
];
