import { type AnyRoute, createRoute } from '@tanstack/react-router';
import { listSearch } from '../../api/list-search.ts';
import { lazyScreen } from '../../lazy-screen.ts';

const loadFeature = () => import('./index.tsx');

export const discountRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: 'discounts',
    validateSearch: listSearch(),
    component: lazyScreen(loadFeature, 'DiscountList'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'discounts/$discountId',
    component: lazyScreen(loadFeature, 'DiscountScreen'),
  }),
];
