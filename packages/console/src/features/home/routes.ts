import { lazyScreen, type Route } from '../../router/screens.ts';

export const homeRoutes: readonly Route[] = [
  {
    path: '',
    screen: lazyScreen(() => import('./index.tsx'), 'Home'),
  },
];
