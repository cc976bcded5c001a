import { type AnyRoute, createRoute } from '@tanstack/react-router';
import { lazyScreen } from '../../lazy-screen.ts';

export const homeRoutes = (store: AnyRoute) => [
  createRoute({
    getParentRoute: () => store,
    path: '/',
    component: lazyScreen(() => import('./index.tsx'), 'Home'),
  }),
];
