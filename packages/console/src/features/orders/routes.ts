import { type AnyRoute, createRoute } from '@tanstack/react-router';
import { listSearch } from '../../api/list-search.ts';
import { lazyScreen } from '../../lazy-screen.ts';

const loadFeature = () => import('./index.tsx');
const filters = listSearch('status', 'payment', 'fulfillment', 'customerId', 'since', 'until');
/** Search parameter `customer` of a new order: the id of its customer. */
const customerOf = listSearch('customer');

export const orderRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: 'orders',
    validateSearch: filters,
    component: lazyScreen(loadFeature, 'OrderList'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'orders/new',
    validateSearch: customerOf,
    component: lazyScreen(() => import('./new.tsx'), 'NewOrder'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'orders/send',
    component: lazyScreen(() => import('./send-file.tsx'), 'SendFile'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'orders/packing-slips',
    validateSearch: listSearch('ids'),
    component: lazyScreen(() => import('./packing-slips.tsx'), 'PackingSlips'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'returns',
    validateSearch: listSearch('state'),
    component: lazyScreen(() => import('./return-list.tsx'), 'ReturnList'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'orders/$orderId',
    component: lazyScreen(loadFeature, 'OrderScreen'),
  }),
];
