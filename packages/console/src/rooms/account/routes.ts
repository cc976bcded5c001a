import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';

export const accountRoutes = (inside: AnyRoute) => [
  createRoute({
    getParentRoute: () => inside,
    path: 'account',
    component: lazyRouteComponent(() => import('./index.tsx'), 'Account'),
  }),
];
