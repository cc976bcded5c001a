import { listSearch } from '../../api/list-search.ts';
import { lazyScreen, type Route } from '../../router/screens.ts';

const loadFeature = () => import('./index.tsx');
const filters = listSearch('status', 'payment', 'fulfillment', 'customerId', 'since', 'until');
/** Search parameter `customer` of a new order: the id of its customer. */
const customerSearch = listSearch('customer');

export const orderRoutes: readonly Route[] = [
  {
    path: 'orders',
    search: filters,
    screen: lazyScreen(loadFeature, 'OrderList'),
  },
  {
    path: 'orders/new',
    search: customerSearch,
    screen: lazyScreen(() => import('./new.tsx'), 'NewOrder'),
  },
  {
    path: 'orders/send',
    screen: lazyScreen(() => import('./send-file.tsx'), 'SendFile'),
  },
  {
    path: 'orders/packing-slips',
    search: listSearch('ids'),
    screen: lazyScreen(() => import('./packing-slips.tsx'), 'PackingSlips'),
  },
  {
    path: 'returns',
    search: listSearch('state'),
    screen: lazyScreen(() => import('./return-list.tsx'), 'ReturnList'),
  },
  {
    path: 'orders/:orderId',
    screen: lazyScreen(loadFeature, 'OrderScreen'),
  },
];
