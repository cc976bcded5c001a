import { requireSession } from '../../api/guard.ts';
import { lazyScreen, type Route } from '../../router/screens.ts';

/** The screens that `/oauth/authorize` (`decisions.md 14.1`) and `waybill login` (15.10) open. */
export const consentRoutes: readonly Route[] = [
  {
    path: 'oauth/authorize',
    guard: requireSession,
    screen: lazyScreen(() => import('./index.tsx'), 'ConsentScreen'),
  },
  {
    path: 'login-code',
    guard: requireSession,
    screen: lazyScreen(() => import('./login-code.tsx'), 'LoginCodeScreen'),
  },
];
