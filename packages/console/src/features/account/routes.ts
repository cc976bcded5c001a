import { type AnyRoute, createRoute } from '@tanstack/react-router';
import { lazyScreen } from '../../lazy-screen.ts';

export const accountRoutes = (inside: AnyRoute) => [
  createRoute({
    getParentRoute: () => inside,
    path: 'account',
    component: lazyScreen(() => import('./index.tsx'), 'Account'),
  }),
];
