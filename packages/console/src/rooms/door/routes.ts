import { type AnyRoute, createRoute, lazyRouteComponent } from '@tanstack/react-router';

const room = () => import('./index.tsx');

/** What is shown to those who are not in yet. Mails lead to three of these, `decisions.md 15.1`. */
export const doorRoutes = (root: AnyRoute) => [
  createRoute({ getParentRoute: () => root, path: 'sign-in', component: lazyRouteComponent(room, 'SignIn') }),
  createRoute({
    getParentRoute: () => root,
    path: 'register',
    component: lazyRouteComponent(room, 'Register'),
  }),
  createRoute({ getParentRoute: () => root, path: 'forgot', component: lazyRouteComponent(room, 'Forgot') }),
  createRoute({ getParentRoute: () => root, path: 'reset', component: lazyRouteComponent(room, 'Reset') }),
  createRoute({ getParentRoute: () => root, path: 'verify', component: lazyRouteComponent(room, 'Verify') }),
  createRoute({
    getParentRoute: () => root,
    path: 'invitation',
    component: lazyRouteComponent(room, 'Invitation'),
  }),
];
