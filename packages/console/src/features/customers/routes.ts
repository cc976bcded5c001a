import { listSearch } from '../../api/list-search.ts';
import { lazyScreen, type Route } from '../../router/screens.ts';

const loadFeature = () => import('./index.tsx');

export const customerRoutes: readonly Route[] = [
  {
    path: 'customers',
    search: listSearch(),
    screen: lazyScreen(loadFeature, 'CustomerList'),
  },
  {
    path: 'customers/:customerId',
    screen: lazyScreen(loadFeature, 'CustomerScreen'),
  },
];
