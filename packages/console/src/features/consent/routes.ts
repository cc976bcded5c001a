import { type AnyRoute, createRoute } from '@tanstack/react-router';
import { requireSession } from '../../api/guard.ts';
import { lazyScreen } from '../../lazy-screen.ts';

/** The screens that `/oauth/authorize` (`decisions.md 14.1`) and `waybill login` (15.10) open. */
export const consentRoutes = (root: AnyRoute) => [
  createRoute({
    getParentRoute: () => root,
    path: 'oauth/authorize',
    beforeLoad: requireSession,
    component: lazyScreen(() => import('./index.tsx'), 'ConsentScreen'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: 'login-code',
    beforeLoad: requireSession,
    component: lazyScreen(() => import('./login-code.tsx'), 'LoginCodeScreen'),
  }),
];
