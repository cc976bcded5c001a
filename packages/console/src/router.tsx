import { createRootRoute, createRoute, createRouter, Outlet, redirect } from '@tanstack/react-router';
import { whoIsIn } from './api/guard.ts';
import { openInvitation } from './api/invitation.ts';
import { session } from './api/session.ts';
import { editorRoutes } from './editor/screen/routes.ts';
import { lazyScreen } from './lazy-screen.ts';
import { base, paths } from './paths.ts';
import { accountRoutes } from './rooms/account/routes.ts';
import { apiKeyRoutes } from './rooms/api-keys/routes.ts';
import { appsRoutes } from './rooms/apps/routes.ts';
import { auditRoutes } from './rooms/audit/routes.ts';
import { blogRoutes } from './rooms/blog/routes.ts';
import { categoryRoutes } from './rooms/categories/routes.ts';
import { consentRoutes } from './rooms/consent/routes.ts';
import { customerRoutes } from './rooms/customers/routes.ts';
import { designRoutes } from './rooms/design/routes.ts';
import { developerRoutes } from './rooms/developer/routes.ts';
import { discountRoutes } from './rooms/discounts/routes.ts';
import { doorRoutes } from './rooms/door/routes.ts';
import { eventRoutes } from './rooms/events/routes.ts';
import { formRoutes } from './rooms/forms/routes.ts';
import { homeRoutes } from './rooms/home/routes.ts';
import { mediaRoutes } from './rooms/media/routes.ts';
import { memberRoutes } from './rooms/members/routes.ts';
import { orderRoutes } from './rooms/orders/routes.ts';
import { pageRoutes } from './rooms/pages/routes.ts';
import { paymentRoutes } from './rooms/payments/routes.ts';
import { pricingRoutes } from './rooms/pricing/routes.ts';
import { productRoutes } from './rooms/products/routes.ts';
import { reviewRoutes } from './rooms/review/routes.ts';
import { sectionRoutes } from './rooms/sections/routes.ts';
import { settingsRoutes } from './rooms/settings/routes.ts';
import { storesRoutes } from './rooms/stores/routes.ts';
import { translationRoutes } from './rooms/translations/routes.ts';
import { webhookRoutes } from './rooms/webhooks/routes.ts';
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
  beforeLoad: whoIsIn,
});

const start = createRoute({
  getParentRoute: () => inside,
  path: '/',
  async beforeLoad() {
    const invitation = openInvitation.read();
    if (invitation) throw redirect({ href: paths.invitation(invitation) });
    const { knowMe } = await import('./api/me.ts');
    const { stores } = await knowMe();
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
  // Texts are texts: a search for "1.50" is not one for 1.5, and an app's `state` comes back as it was.
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
