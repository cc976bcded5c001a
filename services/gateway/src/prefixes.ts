/**
 * The gateway's knowledge of a service: its prefix, and the credential that requests below it need.
 * - `store`: an API key or an app token, `store-api.md 5.1`.
 * - `user`: a user's access token; below `/api/stores/{storeId}` the principal includes the user's role there.
 * - `none`: nothing; the service decides by itself.
 */
export interface Target {
  /** `gateway`: this service answers itself. */
  service: string;
  bearer: 'store' | 'user' | 'none';
  /** The service gets the client's cookies, for the sessions of consoles: `decisions.md 15.8`. */
  takesCookies?: true;
  /** The service gets this one of the client's cookies, and no other. */
  takesCookie?: string;
}

/**
 * The service of each resource of the public API, by path segment: `/api/v1/<segment>` for credentials, and
 * `/api/stores/{storeId}/<segment>` for members (`decisions.md 10.1`).
 */
const resources: ReadonlyMap<string, string> = new Map([
  ['products', 'catalog'],
  ['categories', 'catalog'],
  ['custom-fields', 'catalog'],
  ['orders', 'orders'],
  ['payments', 'orders'],
  ['returns', 'orders'],
  ['payment-sessions', 'payments'],
  ['customers', 'orders'],
  ['discounts', 'orders'],
  ['pages', 'content'],
  ['articles', 'content'],
  ['blog-categories', 'content'],
  ['translations', 'content'],
  ['form-submissions', 'content'],
  ['media', 'media'],
  ['media-folders', 'media'],
  ['webhooks', 'webhooks'],
  ['events', 'webhooks'],
  ['event-types', 'webhooks'],
  ['app-data', 'app-platform'],
  ['store', 'identity'],
]);

/** The services of resources for members only: `/api/stores/{storeId}/<segment>`. */
const memberResources: ReadonlyMap<string, string> = new Map([
  ['reports', 'orders'],
  ['taxes', 'orders'],
  ['shipping', 'orders'],
  ['quotes', 'orders'],
  ['documents', 'orders'],
  ['sections', 'content'],
  ['templates', 'content'],
  ['theme', 'content'],
  ['vocabulary', 'content'],
  ['blocks', 'content'],
  ['apps', 'app-platform'],
  ['payment-methods', 'payments'],
  ['payment-reconciliation', 'payments'],
]);

/** Other prefixes, longer ones first. */
const prefixes: readonly (readonly [prefix: string, target: Target])[] = [
  ['/api/stores', { service: 'identity', bearer: 'user' }],
  ['/api/auth/password', { service: 'identity', bearer: 'user' }],
  ['/api/me', { service: 'identity', bearer: 'user' }],
  ['/api/auth/verification', { service: 'identity', bearer: 'user' }],
  ['/api/auth', { service: 'identity', bearer: 'none', takesCookies: true }],
  ['/api/invitations', { service: 'identity', bearer: 'user' }],
  ['/api/orgs', { service: 'app-platform', bearer: 'user' }],
  ['/api/apps', { service: 'app-platform', bearer: 'user' }],
  ['/api/review', { service: 'app-platform', bearer: 'user' }],
  ['/.well-known/jwks.json', { service: 'identity', bearer: 'none' }],
  ['/.well-known/oauth-authorization-server', { service: 'app-platform', bearer: 'none' }],
  ['/storefront', { service: 'orders', bearer: 'none' }],
  ['/oauth', { service: 'app-platform', bearer: 'none' }],
  ['/islands', { service: 'app-platform', bearer: 'none' }],
  ['/app-icons', { service: 'app-platform', bearer: 'none' }],
  ['/schemas', { service: 'app-platform', bearer: 'none' }],
  // Events of payment providers: `decisions.md 22.5`.
  ['/payments', { service: 'payments', bearer: 'none' }],
  ['/media', { service: 'media', bearer: 'none' }],
  ['/assets', { service: 'content', bearer: 'none' }],
  // The cookie holds the cart of browsers without scripts: `decisions.md 17.4`.
  ['/s', { service: 'content', bearer: 'none', takesCookie: 'wb-cart' }],
];

const publicApi = '/api/v1';

/**
 * Resources that the gateway gathers from several services: `/api/stores/{storeId}/<segment>`, and the audit of an
 * organisation.
 */
const ownResources: ReadonlySet<string> = new Set(['search', 'audit', 'limits']);
const orgAudit = /^\/api\/orgs\/[^/]+\/audit(?:\/|$)/;

/** Matches an organisation's development stores, which identity owns like all stores: `decisions.md 14.3`. */
const orgStores = /^\/api\/orgs\/[^/]+\/stores(?:\/|$)/;
/**
 * Matches the deliveries of an app, which belong to the webhooks service although the path is below the organisation's.
 */
const appDeliveries = /^\/api\/orgs\/[^/]+\/apps\/[^/]+\/deliveries(?:\/|$)/;

/** Matches the products of shop fronts. By default, paths of shop fronts belong to orders: `decisions.md 3.5, 3.6`. */
const storefrontProducts = /^\/storefront\/[^/]+\/products(?:\/|$)/;
/** Matches the payment methods of shop fronts: `decisions.md 22.1`. */
const storefrontPaymentMethods = /^\/storefront\/[^/]+\/payment-methods(?:\/|$)/;
/** Matches submissions of forms on pages: `decisions.md 17.5`. */
const storefrontForms = /^\/storefront\/[^/]+\/forms(?:\/|$)/;

/** All services that receive forwarded requests. */
export const forwardedServices: readonly string[] = [
  ...new Set([
    ...resources.values(),
    ...memberResources.values(),
    ...prefixes.map(([, { service }]) => service),
  ]),
];

/**
 * Returns the target of a path. `unknown`: below the public API, but no resource. Null: the path belongs to no service.
 */
export function findTarget(path: string): Target | 'unknown' | null {
  if (isBelow(path, publicApi)) {
    const service = resources.get(path.slice(publicApi.length + 1).split('/', 1)[0]!);
    return service ? { service, bearer: 'store' } : 'unknown';
  }
  const segment = /^\/api\/stores\/[^/]+\/([^/]+)/.exec(path)?.[1];
  const service = segment && (resources.get(segment) ?? memberResources.get(segment));
  if (service) return { service, bearer: 'user' };
  if ((segment && ownResources.has(segment)) || orgAudit.test(path))
    return { service: 'gateway', bearer: 'user' };
  if (orgStores.test(path)) return { service: 'identity', bearer: 'user' };
  if (appDeliveries.test(path)) return { service: 'webhooks', bearer: 'user' };
  if (storefrontProducts.test(path)) return { service: 'catalog', bearer: 'none' };
  if (storefrontPaymentMethods.test(path)) return { service: 'payments', bearer: 'none' };
  if (storefrontForms.test(path)) return { service: 'content', bearer: 'none' };
  return prefixes.find(([prefix]) => isBelow(path, prefix))?.[1] ?? null;
}

function isBelow(path: string, prefix: string): boolean {
  return path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/');
}

/** Whether a request reports on a payment session, which is all that an uninstalled app may do: `decisions.md 22.1`. */
export function isPaymentReport(method: string | undefined, path: string): boolean {
  const sessions = `${publicApi}/payment-sessions/`;
  const id = path.startsWith(sessions) ? path.slice(sessions.length) : '';
  return method === 'POST' && id !== '' && !id.includes('/');
}

/** Returns the store that a user's request is about. */
export function parseStoreId(path: string): string | null {
  return /^\/api\/stores\/(str_[0-9a-hjkmnp-tv-z]{26})(?:\/|$)/.exec(path)?.[1] ?? null;
}
