import { lazyScreen, type Route } from '../../router/screens.ts';

export const accountRoutes: readonly Route[] = [
  {
    path: 'account',
    screen: lazyScreen(() => import('./index.tsx'), 'Account'),
  },
];
