import { type AnyRoute, createRoute } from '@tanstack/react-router';
import { listSearch } from '../../api/list-search.ts';
import { lazyScreen } from '../../lazy-screen.ts';

const room = () => import('./index.tsx');

export const discountRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: 'discounts',
    validateSearch: listSearch(),
    component: lazyScreen(room, 'DiscountList'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'discounts/$discountId',
    component: lazyScreen(room, 'DiscountScreen'),
  }),
];
