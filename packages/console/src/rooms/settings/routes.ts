import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';

export const settingsRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: 'settings',
    component: lazyRouteComponent(() => import('./index.tsx'), 'Settings'),
  }),
];
