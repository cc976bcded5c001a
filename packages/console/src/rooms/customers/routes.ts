import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { listSearch } from '../../api/list-search.ts';

const room = () => import('./index.tsx');

export const customerRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: 'customers',
    validateSearch: listSearch(),
    component: lazyRouteComponent(room, 'CustomerList'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'customers/$customerId',
    component: lazyRouteComponent(room, 'CustomerScreen'),
  }),
];
