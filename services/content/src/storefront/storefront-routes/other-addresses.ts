import { ApiError, canonicalLocale, isSlug, type StoreFacts } from '@waybill/contracts';
import { Answer, type Handlers, hostHeader, type RouteDefinition } from '@waybill/kernel';
import { LRUCache } from 'lru-cache';
import type { Context } from '../../config.ts';
import { isAtOwnOrigin } from '../../publication/rendering/policy.ts';
import { getPath, redirect, type Visit } from '../../publication/served-documents/answers.ts';
import { findVisitedStore } from '../../publication/served-documents/queries.ts';

/** A request below a store's address. */
type VisitToStore = Visit & { params: { storeSlug: string } };
type AnyHandler = (request: never) => unknown;

/** How long look-ups are cached, and so how soon a store with a new slug is found under its former one. */
const cacheTtlMs = 5_000;

/**
 * Makes handlers below a store's address redirect from other addresses of the same page. If nothing is found, a locale
 * in front that is the store's default language is left out; and if a store has left the slug, the visitor is redirected
 * to the same path and query at the store's present address (`decisions.md 17.6, 19.12`).
 */
export function redirectOtherAddresses(context: Context) {
  const { config, peers } = context;
  /** Present slugs by former ones; failed look-ups are cached too. */
  const current = new LRUCache<string, { slug: string | null }>({
    max: 10_000,
    ttl: cacheTtlMs,
    async fetchMethod(former) {
      const path = `/internal/store-slugs/${former}?former=true`;
      const found = await peers.call<{ store: StoreFacts }>('identity', 'GET', path);
      return { slug: found && found.store.slug !== former ? found.store.slug : null };
    },
  });

  async function answerFor(visit: VisitToStore): Promise<Answer | null> {
    const { storeSlug } = visit.params;
    if (!isSlug(storeSlug)) return null;
    const inDefaultLanguage = await redirectToDefaultLanguage(context, visit);
    if (inDefaultLanguage) return inDefaultLanguage;
    // While identity is unavailable, the page is simply not found.
    const found = await current.fetch(storeSlug).catch(() => undefined);
    if (!found?.slug) return null;
    const location = addressAt(config, visit, found.slug);
    return location === null
      ? null
      : new Answer('', 'text/html; charset=utf-8', { location, 'cache-control': 'no-cache' }, 301);
  }

  return <Routes extends Readonly<Record<string, RouteDefinition>>>(
    routes: Routes,
    handlers: Handlers<Routes>,
  ): Handlers<Routes> => {
    const leading = Object.entries(handlers as Readonly<Record<string, AnyHandler>>).map(([name, handle]) => {
      const { method, path } = routes[name]!;
      if (method !== 'GET' || !path.startsWith('/s/{storeSlug}')) return [name, handle];
      const redirectOther = async (visit: VisitToStore) => {
        try {
          const answer = await handle(visit as never);
          const isNothing = answer instanceof Answer && answer.status === 404;
          return (isNothing && (await answerFor(visit))) || answer;
        } catch (error) {
          if (!(error instanceof ApiError) || error.status !== 404) throw error;
          const answer = await answerFor(visit);
          if (answer) return answer;
          throw error;
        }
      };
      return [name, redirectOther];
    });
    return Object.fromEntries(leading) as Handlers<Routes>;
  };
}

/** A step of a page's path: a slug, the name of a file or the token of an order. Any other step names nothing. */
const stepPattern = /^[\w.~-]*$/;

/** Whether steps can be the path of a page. A browser would take the text after two leading slashes for a host. */
const canBePage = (steps: readonly string[]): boolean =>
  steps.every((step) => stepPattern.test(step)) && (steps.length < 2 || steps[0] !== '');

/** Redirects from a path with the store's default locale in front to the one without; null for other paths. */
async function redirectToDefaultLanguage({ db }: Context, visit: VisitToStore): Promise<Answer | null> {
  const { storeSlug } = visit.params;
  const [tag = '', ...steps] = getPath(visit.url).split('/').slice(3);
  const locale = canonicalLocale(tag);
  if (!locale || !canBePage(steps)) return null;
  if ((await findVisitedStore(db, storeSlug))?.defaultLocale !== locale) return null;
  return redirect(`/s/${storeSlug}/${steps.join('/')}`, visit, 301);
}

/**
 * Returns the same path and query at a store's present slug; null when the visitor's own domain has no other address
 * yet.
 */
function addressAt({ sites, publicBaseUrl }: Context['config'], visit: VisitToStore, slug: string) {
  const rest = visit.url.slice(`/s/${visit.params.storeSlug}`.length);
  if (!isAtOwnOrigin(visit.headers)) return `/s/${slug}${rest}`;
  const host = String(visit.headers[hostHeader] ?? visit.headers.host ?? '');
  // At a merchant's domain the slug is not in the visitor's address, and the gateway will know the new one in a moment.
  if (sites.findSlug(host) === null) return null;
  const port = /:(\d+)$/.exec(host)?.[1];
  const below = rest.startsWith('/') ? rest : `/${rest}`;
  const origin = sites.findOrigin(slug, port === undefined ? undefined : Number(port));
  if (origin) return origin + below;
  // A slug longer than a DNS label has no origin.
  const base = publicBaseUrl || `http://${sites.domain}${port === undefined ? '' : `:${port}`}`;
  return `${base}/s/${slug}${below}`;
}
