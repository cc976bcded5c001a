import type { IncomingMessage } from 'node:http';
import { errors, type StoreFacts, slugPattern } from '@waybill/contracts';
import type { Peers, Sites } from '@waybill/kernel';
import { LRUCache } from 'lru-cache';
import { findTarget, type Target } from './prefixes.ts';

/** What a store's own origin has of the system beside the store's pages, `decisions.md 17.7`. */
const sharedPrefixes = ['/media/', '/assets/', '/islands/', '/storefront/'];

const slugs = new RegExp(slugPattern);
const storeIds = /str_[0-9a-hjkmnp-tv-z]{26}/g;
/** A store that takes another's slug is known by it after this long. */
const keptMs = 5_000;

const isRead = ({ method }: IncomingMessage) => method === 'GET' || method === 'HEAD';

/** No name of a host is longer: RFC 1035. */
const maxHostname = 253;
const labels = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/;

/** Whether a host may be a store's own: it has a domain, and is not an address. */
const isDomain = (hostname: string): boolean =>
  hostname.length <= maxHostname &&
  labels.test(hostname) &&
  /[a-z]/.test(hostname.slice(hostname.lastIndexOf('.')));

/** A store that visitors have come to at an origin of its own. */
export interface Site {
  slug: string;
  /** At a domain of its merchant's; else below the system's domain of stores. */
  isAtDomain: boolean;
  /** The store was shown at this domain, and is not any more. */
  isFormer: boolean;
}

/** The settings that say which host is whose. */
interface OriginSettings {
  sites: Sites;
  systemHost: string | undefined;
  baseUrl: string;
}

export type OwnOrigins = ReturnType<typeof createOwnOrigins>;

/** Stores at origins of their own: who is asked for there, and which browsers are sent there. */
export function createOwnOrigins({
  config: { sites, systemHost, baseUrl },
  peers,
}: {
  config: OriginSettings;
  peers: Peers;
}) {
  const idOfSlug = new LRUCache<string, { id: string | undefined }>({
    max: 10_000,
    ttl: keptMs,
    // While identity is away, what it said last still holds.
    allowStaleOnFetchRejection: true,
    noDeleteOnFetchRejection: true,
    async fetchMethod(slug) {
      const path = `/internal/store-slugs/${slug}?former=true`;
      const found = await peers.call<{ store: StoreFacts }>('identity', 'GET', path);
      return { id: found?.store.id };
    },
  });

  /** By hostname. Whoever makes names up costs what any look-up does; of what was made up little is kept. */
  const slugAtDomain = new LRUCache<string, { slug: string | undefined; isFormer: boolean }>({
    max: 10_000,
    ttl: keptMs,
    allowStaleOnFetchRejection: true,
    noDeleteOnFetchRejection: true,
    async fetchMethod(hostname) {
      const path = `/internal/domains/${hostname}?former=true`;
      // A copy of the version before names no former ones.
      type Found = { store: { slug: string }; isFormer?: boolean };
      const found = await peers.call<Found>('identity', 'GET', path);
      return { slug: found?.store.slug, isFormer: found?.isFormer === true };
    },
  });

  /** Whether a path names no store but this one. */
  async function isOfStore(slug: string, path: string): Promise<boolean> {
    const text = decoded(path);
    if (text === null) return false;
    const named = text.match(storeIds) ?? [];
    if (named.length === 0) return true;
    const store = await idOfSlug.forceFetch(slug);
    return named.every((id) => id === store.id);
  }

  return {
    /** The store whose own origin a `Host` is, by the domain of stores or one of its merchant's; null: the system is meant. */
    siteOf(host: string | undefined): Site | null | Promise<Site | null> {
      const slug = sites.slugOf(host);
      if (slug) return { slug, isAtDomain: false, isFormer: false };
      const hostname = hostnameOf(host);
      if (hostname === systemHost || hostname === sites.domain || !isDomain(hostname)) return null;
      // A system may be without stores.
      if (!peers.has('identity')) return null;
      return slugAtDomain
        .forceFetch(hostname)
        .then(({ slug, isFormer }) => (slug ? { slug, isAtDomain: true, isFormer } : null));
    },

    /** Whether a certificate may be asked for to show a store at this name. */
    async isShown(domain: string): Promise<boolean> {
      const hostname = hostnameOf(domain);
      const slug = sites.slugOf(hostname);
      if (slug) return slugs.test(slug) && (await idOfSlug.forceFetch(slug)).id !== undefined;
      return isDomain(hostname) && (await slugAtDomain.forceFetch(hostname)).slug !== undefined;
    },

    /**
     * Where a browser goes that was led to a store below `/s`, with the rest of its path; null: it is answered in place.
     * At a store's own origin (`at`) that is for addresses of this store that were written down elsewhere.
     */
    homeOf(req: IncomingMessage, at: Site | null): string | null {
      const [, slug, rest] = /^\/s\/([^/?]+)(.*)$/s.exec(req.url!) ?? [];
      if (!slug || !slugs.test(slug) || !isRead(req)) return null;
      if (at === null ? req.headers['sec-fetch-dest'] !== 'document' : at.slug !== slug) return null;
      // At a domain it stays there: of two slashes in front, a browser would take what follows for a host.
      if (at?.isAtDomain) return rest!.replace(/^[\\/]*/, '/');
      const origin = sites.originOf(slug, req.socket.localPort);
      return origin && origin + (rest!.startsWith('/') ? rest : `/${rest}`);
    },

    /** Where visitors of a former domain find what they ask for: `decisions.md 19.12`. @throws not_found */
    movedTo({ slug }: Site, req: IncomingMessage): string {
      if (!isRead(req)) throw errors.not_found();
      const origin = sites.originOf(slug, req.socket.localPort);
      if (origin) return origin + req.url;
      // Nobody has said where the system is reached: there is no address to lead to.
      if (baseUrl === '') throw errors.not_found();
      return (
        baseUrl + (sharedPrefixes.some((prefix) => req.url!.startsWith(prefix)) ? '' : `/s/${slug}`) + req.url
      );
    },

    /**
     * Whose a request to a store's own origin is: the store's pages are asked for below `/s`, as everywhere.
     * @throws not_found for what is the system's or another store's
     */
    async targetAt({ slug }: Site, req: IncomingMessage, path: string): Promise<Target> {
      if (!slugs.test(slug)) throw errors.not_found();
      if (sharedPrefixes.some((prefix) => path.startsWith(prefix) && path !== prefix)) {
        if (!(await isOfStore(slug, path))) throw errors.not_found();
        return findTarget(path) as Target;
      }
      if (!isRead(req) && findTarget(path)) throw errors.not_found();
      req.url = `/s/${slug}${req.url}`;
      return findTarget('/s') as Target;
    },
  };
}

/** Without a port and the dot at its end. */
const hostnameOf = (host = '') => host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');

/** The text of a path; null where its escapes are malformed. */
export function decoded(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}
