import { createRootRoute, createRoute, createRouter, Outlet, redirect } from '@tanstack/react-router';
import { requireSession } from './api/guard.ts';
import { openInvitation } from './api/invitation.ts';
import { session } from './api/session.ts';
import { editorRoutes } from './editor/screen/routes.ts';
import { accountRoutes } from './features/account/routes.ts';
import { apiKeyRoutes } from './features/api-keys/routes.ts';
import { appsRoutes } from './features/apps/routes.ts';
import { auditRoutes } from './features/audit/routes.ts';
import { blogRoutes } from './features/blog/routes.ts';
import { categoryRoutes } from './features/categories/routes.ts';
import { consentRoutes } from './features/consent/routes.ts';
import { customerRoutes } from './features/customers/routes.ts';
import { designRoutes } from './features/design/routes.ts';
import { developerRoutes } from './features/developer/routes.ts';
import { discountRoutes } from './features/discounts/routes.ts';
import { doorRoutes } from './features/door/routes.ts';
import { eventRoutes } from './features/events/routes.ts';
import { formRoutes } from './features/forms/routes.ts';
import { homeRoutes } from './features/home/routes.ts';
import { mediaRoutes } from './features/media/routes.ts';
import { memberRoutes } from './features/members/routes.ts';
import { orderRoutes } from './features/orders/routes.ts';
import { pageRoutes } from './features/pages/routes.ts';
import { paymentRoutes } from './features/payments/routes.ts';
import { pricingRoutes } from './features/pricing/routes.ts';
import { productRoutes } from './features/products/routes.ts';
import { reviewRoutes } from './features/review/routes.ts';
import { sectionRoutes } from './features/sections/routes.ts';
import { settingsRoutes } from './features/settings/routes.ts';
import { storesRoutes } from './features/stores/routes.ts';
import { translationRoutes } from './features/translations/routes.ts';
import { webhookRoutes } from './features/webhooks/routes.ts';
import { lazyScreen } from './lazy-screen.ts';
import { base, paths } from './paths.ts';
import { Coming, Failed, FailedOutside, NotFound } from './shell/problems.tsx';

const root = createRootRoute({
  component: Outlet,
  errorComponent: FailedOutside,
  beforeLoad: () => session.begin(),
});

const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  component: lazyScreen(() => import('./shell/frame.tsx'), 'Frame'),
  errorComponent: FailedOutside,
  beforeLoad: requireSession,
});

const start = createRoute({
  getParentRoute: () => inside,
  path: '/',
  async beforeLoad() {
    const invitation = openInvitation.read();
    if (invitation) throw redirect({ href: paths.invitation(invitation) });
    const { loadMe } = await import('./api/me.ts');
    const { stores } = await loadMe();
    const last = stores.find(({ id }) => id === localStorage.getItem('waybill.store')) ?? stores[0];
    throw redirect({ href: last ? paths.store(last.id) : paths.newStore });
  },
});

const store = createRoute({ getParentRoute: () => inside, path: 'stores/$storeId', component: Outlet });

export const router = createRouter({
  routeTree: root.addChildren([
    ...doorRoutes(root),
    ...consentRoutes(root),
    editorRoutes(root),
    inside.addChildren([
      start,
      ...storesRoutes(inside),
      ...accountRoutes(inside),
      ...developerRoutes(inside),
      ...reviewRoutes(inside),
      store.addChildren([
        ...homeRoutes(store),
        ...productRoutes(store),
        ...categoryRoutes(store),
        ...orderRoutes(store),
        ...customerRoutes(store),
        ...discountRoutes(store),
        ...paymentRoutes(store),
        ...pricingRoutes(store),
        ...formRoutes(store),
        ...webhookRoutes(store),
        ...eventRoutes(store),
        ...apiKeyRoutes(store),
        ...memberRoutes(store),
        ...auditRoutes(store),
        ...settingsRoutes(store),
        ...mediaRoutes(store),
        ...pageRoutes(store),
        ...sectionRoutes(store),
        ...designRoutes(store),
        ...blogRoutes(store),
        ...translationRoutes(store),
        ...appsRoutes(store),
      ]),
    ]),
  ]),
  basepath: base,
  // Search parameters stay strings: a search for "1.50" is not a search for 1.5, and an app's `state` comes back
  // unchanged.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch(search) {
    const given = Object.entries(search).filter(([, value]) => value !== undefined);
    return given.length === 0 ? '' : `?${new URLSearchParams(given as [string, string][])}`;
  },
  defaultPendingComponent: Coming,
  defaultErrorComponent: Failed,
  defaultNotFoundComponent: NotFound,
  defaultPendingMs: 150,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
