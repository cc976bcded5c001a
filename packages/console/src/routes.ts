import { requireSession } from './api/guard.ts';
import { openInvitation } from './api/invitation.ts';
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
import { signInRoutes } from './features/sign-in/routes.ts';
import { storesRoutes } from './features/stores/routes.ts';
import { translationRoutes } from './features/translations/routes.ts';
import { webhookRoutes } from './features/webhooks/routes.ts';
import { paths } from './paths.ts';
import { lazyScreen, type Route } from './router/screens.ts';

const frame = lazyScreen(() => import('./shell/frame.tsx'), 'Frame');
const problems = () => import('./shell/problems.tsx');

/** Screens in the frame, which needs a session. */
const inFrame = (routes: readonly Route[]): Route[] =>
  routes.map((route) => ({ guard: requireSession, around: frame, ...route }));

/** Screens of a store, whose paths begin with the store's. */
const ofStore = (routes: readonly Route[]): Route[] =>
  routes.map(({ path, ...route }) => ({ ...route, path: `stores/:storeId/${path}`.replace(/\/$/, '') }));

/** Leads to an invitation that waits, or to the store that was open last. */
async function findStart(location: { href: string }): Promise<string> {
  const signIn = await requireSession(location);
  if (signIn) return signIn;
  const invitation = openInvitation.read();
  if (invitation) return paths.invitation(invitation);
  const { loadMe } = await import('./api/me.ts');
  const { stores } = await loadMe();
  const last = stores.find(({ id }) => id === localStorage.getItem('waybill.store')) ?? stores[0];
  return last ? paths.store(last.id) : paths.newStore;
}

export const routes: readonly Route[] = [
  ...signInRoutes,
  ...consentRoutes,
  ...editorRoutes,
  ...inFrame([
    ...storesRoutes,
    ...accountRoutes,
    ...developerRoutes,
    ...reviewRoutes,
    ...ofStore([
      ...homeRoutes,
      ...productRoutes,
      ...categoryRoutes,
      ...orderRoutes,
      ...customerRoutes,
      ...discountRoutes,
      ...paymentRoutes,
      ...pricingRoutes,
      ...formRoutes,
      ...webhookRoutes,
      ...eventRoutes,
      ...apiKeyRoutes,
      ...memberRoutes,
      ...auditRoutes,
      ...settingsRoutes,
      ...mediaRoutes,
      ...pageRoutes,
      ...sectionRoutes,
      ...designRoutes,
      ...blogRoutes,
      ...translationRoutes,
      ...appsRoutes,
      { path: '*', screen: lazyScreen(problems, 'NotFound') },
    ]),
  ]),
  { path: '', screen: lazyScreen(problems, 'NotFound'), guard: findStart },
  { path: '*', screen: lazyScreen(problems, 'NotFoundOutside') },
];
