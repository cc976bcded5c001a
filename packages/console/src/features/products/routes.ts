import { listSearch } from '../../api/list-search.ts';
import { lazyScreen, type Route } from '../../router/screens.ts';
import { productScreen } from './product-screen.ts';

// Each screen is a chunk of its own, because most visits need only the list.
export const productRoutes: readonly Route[] = [
  {
    path: 'products',
    search: listSearch('status'),
    screen: lazyScreen(() => import('./list.tsx'), 'ProductList'),
  },
  {
    path: 'products/import',
    screen: lazyScreen(() => import('./import.tsx'), 'ImportScreen'),
  },
  {
    path: 'products/:productId',
    screen: productScreen,
  },
];
