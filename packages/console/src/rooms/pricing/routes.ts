import { type AnyRoute, createRoute } from '@tanstack/react-router';
import { lazyScreen } from '../../lazy-screen.ts';

const room = () => import('./index.tsx');

export const pricingRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: 'taxes',
    component: lazyScreen(room, 'TaxesScreen'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'shipping',
    component: lazyScreen(room, 'ShippingScreen'),
  }),
];
