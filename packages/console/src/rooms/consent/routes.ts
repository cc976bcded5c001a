import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { whoIsIn } from '../../api/guard.ts';

/** Where `/oauth/authorize` leads a merchant, `decisions.md 14.1`, and `waybill login` its user, 15.10. */
export const consentRoutes = (root: AnyRoute) => [
  createRoute({
    getParentRoute: () => root,
    path: 'oauth/authorize',
    beforeLoad: whoIsIn,
    component: lazyRouteComponent(() => import('./index.tsx'), 'ConsentScreen'),
  }),
  createRoute({
    getParentRoute: () => root,
    path: 'login-code',
    beforeLoad: whoIsIn,
    component: lazyRouteComponent(() => import('./login-code.tsx'), 'LoginCodeScreen'),
  }),
];
