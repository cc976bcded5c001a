import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';

export const storesRoutes = (inside: AnyRoute) => [
  createRoute({
    getParentRoute: () => inside,
    path: 'stores/new',
    component: lazyRouteComponent(() => import('./index.tsx'), 'NewStore'),
  }),
];
