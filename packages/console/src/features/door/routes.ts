import { type AnyRoute, createRoute } from '@tanstack/react-router';
import { lazyScreen } from '../../lazy-screen.ts';

const loadFeature = () => import('./index.tsx');

/** The screens before sign-in. Mails link to three of them (`decisions.md 15.1`). */
export const doorRoutes = (root: AnyRoute) => [
  createRoute({ getParentRoute: () => root, path: 'sign-in', component: lazyScreen(loadFeature, 'SignIn') }),
  createRoute({
    getParentRoute: () => root,
    path: 'register',
    component: lazyScreen(loadFeature, 'Register'),
  }),
  createRoute({ getParentRoute: () => root, path: 'forgot', component: lazyScreen(loadFeature, 'Forgot') }),
  createRoute({ getParentRoute: () => root, path: 'reset', component: lazyScreen(loadFeature, 'Reset') }),
  createRoute({ getParentRoute: () => root, path: 'verify', component: lazyScreen(loadFeature, 'Verify') }),
  createRoute({
    getParentRoute: () => root,
    path: 'invitation',
    component: lazyScreen(loadFeature, 'Invitation'),
  }),
];
