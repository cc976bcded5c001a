import { type AnyRoute, createRoute } from '@tanstack/react-router';
import { listSearch } from '../../api/list-search.ts';
import { lazyScreen } from '../../lazy-screen.ts';

const loadFeature = () => import('./index.tsx');

export const customerRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: 'customers',
    validateSearch: listSearch(),
    component: lazyScreen(loadFeature, 'CustomerList'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'customers/$customerId',
    component: lazyScreen(loadFeature, 'CustomerScreen'),
  }),
];
