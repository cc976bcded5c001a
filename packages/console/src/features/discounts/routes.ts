import { listSearch } from '../../api/list-search.ts';
import { lazyScreen, type Route } from '../../router/screens.ts';

const loadFeature = () => import('./index.tsx');

export const discountRoutes: readonly Route[] = [
  {
    path: 'discounts',
    search: listSearch(),
    screen: lazyScreen(loadFeature, 'DiscountList'),
  },
  {
    path: 'discounts/:discountId',
    screen: lazyScreen(loadFeature, 'DiscountScreen'),
  },
];
