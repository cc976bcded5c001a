import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';

export const homeRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: '/',
    component: lazyRouteComponent(() => import('./index.tsx'), 'Home'),
  }),
];
