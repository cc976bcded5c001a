import { type AnyRoute, createRoute } from '@tanstack/react-router';
import { lazyScreen } from '../../lazy-screen.ts';

const loadFeature = () => import('./index.tsx');

export const pricingRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: 'taxes',
    component: lazyScreen(loadFeature, 'TaxesScreen'),
  }),
  createRoute({
    getParentRoute: () => store,
    path: 'shipping',
    component: lazyScreen(loadFeature, 'ShippingScreen'),
  }),
];
