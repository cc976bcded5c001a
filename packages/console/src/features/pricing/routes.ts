import { lazyScreen, type Route } from '../../router/screens.ts';

const loadFeature = () => import('./index.tsx');

export const pricingRoutes: readonly Route[] = [
  {
    path: 'taxes',
    screen: lazyScreen(loadFeature, 'TaxesScreen'),
  },
  {
    path: 'shipping',
    screen: lazyScreen(loadFeature, 'ShippingScreen'),
  },
];
