import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { whoIsIn } from '../../api/guard.ts';

/** Where `/oauth/authorize` leads a merchant, `decisions.md 14.1`. */
export const consentRoutes = (root: AnyRoute) => [
  createRoute({
    getParentRoute: () => root,
    path: 'oauth/authorize',
    beforeLoad: whoIsIn,
    component: lazyRouteComponent(() => import('./index.tsx'), 'ConsentScreen'),
  }),
];
