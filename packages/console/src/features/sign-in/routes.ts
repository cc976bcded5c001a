import { lazyScreen, type Route } from '../../router/screens.ts';

const loadFeature = () => import('./index.tsx');

/** The screens before sign-in. Mails link to three of them (`decisions.md 15.1`). */
export const signInRoutes: readonly Route[] = [
  { path: 'sign-in', screen: lazyScreen(loadFeature, 'SignIn') },
  {
    path: 'register',
    screen: lazyScreen(loadFeature, 'Register'),
  },
  { path: 'forgot', screen: lazyScreen(loadFeature, 'Forgot') },
  { path: 'reset', screen: lazyScreen(loadFeature, 'Reset') },
  { path: 'verify', screen: lazyScreen(loadFeature, 'Verify') },
  {
    path: 'invitation',
    screen: lazyScreen(loadFeature, 'Invitation'),
  },
];
