import { type AnyRoute, createRoute } from '@tanstack/react-router';
import { lazyScreen } from '../../lazy-screen.ts';

export const settingsRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: 'settings',
    component: lazyScreen(() => import('./index.tsx'), 'Settings'),
  }),
];
