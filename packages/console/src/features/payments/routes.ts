import { type AnyRoute, createRoute } from '@tanstack/react-router';
import { listSearch } from '../../api/list-search.ts';
import { lazyScreen } from '../../lazy-screen.ts';

const loadFeature = () => import('./index.tsx');

export const paymentRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: 'payments',
    validateSearch: listSearch('status', 'since', 'until'),
    component: lazyScreen(loadFeature, 'PaymentList'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'payments/report',
    validateSearch: listSearch('since', 'until'),
    component: lazyScreen(() => import('./report.tsx'), 'PaymentReport'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'payments/reconciliation',
    component: lazyScreen(() => import('./reconciliation.tsx'), 'PaymentReconciliation'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'payment-methods',
    component: lazyScreen(() => import('./methods.tsx'), 'PaymentMethods'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'payment-methods/$methodId',
    component: lazyScreen(loadFeature, 'PaymentMethodScreen'),
  }),
];
