import { listSearch } from '../../api/list-search.ts';
import { lazyScreen, type Route } from '../../router/screens.ts';

const loadFeature = () => import('./index.tsx');

export const paymentRoutes: readonly Route[] = [
  {
    path: 'payments',
    search: listSearch('status', 'since', 'until'),
    screen: lazyScreen(loadFeature, 'PaymentList'),
  },
  {
    path: 'payments/report',
    search: listSearch('since', 'until'),
    screen: lazyScreen(() => import('./report.tsx'), 'PaymentReport'),
  },
  {
    path: 'payments/reconciliation',
    screen: lazyScreen(() => import('./reconciliation.tsx'), 'PaymentReconciliation'),
  },
  {
    path: 'payment-methods',
    screen: lazyScreen(() => import('./methods.tsx'), 'PaymentMethods'),
  },
  {
    path: 'payment-methods/:methodId',
    screen: lazyScreen(loadFeature, 'PaymentMethodScreen'),
  },
];
