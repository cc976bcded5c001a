import type { IncomingMessage } from 'node:http';
import { errors, type StoreFacts, slugPattern } from '@waybill/contracts';
import type { Peers, Sites } from '@waybill/kernel';
import { LRUCache } from 'lru-cache';
import { findTarget, type Target } from './prefixes.ts';

/** Prefixes that a store's own origin serves in addition to the store's pages: `decisions.md 17.7`. */
const sharedPrefixes = ['/media/', '/assets/', '/islands/', '/storefront/'];

const slugs = new RegExp(slugPattern);
const storeIds = /str_[0-9a-hjkmnp-tv-z]{26}/g;
/** How long answers are cached. A store that takes another store's slug is found under it after this time. */
const cacheMs = 5_000;

const isRead = ({ method }: IncomingMessage) => method === 'GET' || method === 'HEAD';

/** Maximum length of a host name: RFC 1035. */
const maxHostname = 253;
const labels = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/;

/** Whether a host may be a store's own: it contains a dot and is no address. */
const isDomain = (hostname: string): boolean =>
  hostname.length <= maxHostname &&
  labels.test(hostname) &&
  /[a-z]/.test(hostname.slice(hostname.lastIndexOf('.')));

/** A store that is visited at its own origin. */
export interface Site {
  slug: string;
  /** Whether the host is a domain of the merchant; otherwise it is below the system's domain of stores. */
  isAtDomain: boolean;
  /** Whether the store no longer uses this domain. */
  isFormer: boolean;
}

/** The settings that assign hosts. */
interface OriginSettings {
  sites: Sites;
  systemHost: string | undefined;
  baseUrl: string;
}

/** While the identity service is unreachable, its last answer stays in use. */
const cacheOptions = {
  max: 10_000,
  ttl: cacheMs,
  allowStaleOnFetchRejection: true,
  noDeleteOnFetchRejection: true,
};

/** Assigns requests to stores at their own origins, and redirects browsers there. */
export class OwnOrigins {
  readonly #settings: OriginSettings;
  readonly #peers: Peers;
  /** The ids of stores by slug, present or former. */
  readonly #idOfSlug = new LRUCache<string, { id: string | undefined }>({
    ...cacheOptions,
    fetchMethod: async (slug) => {
      const path = `/internal/store-slugs/${slug}?former=true`;
      const found = await this.#peers.call<{ store: StoreFacts }>('identity', 'GET', path);
      return { id: found?.store.id };
    },
  });
  /** Slugs by host name. Invented names cost no more than any look-up, and the cache keeps few of them. */
  readonly #slugAtDomain = new LRUCache<string, { slug: string | undefined; isFormer: boolean }>({
    ...cacheOptions,
    fetchMethod: async (hostname) => {
      const path = `/internal/domains/${hostname}?former=true`;
      // The previous version of identity returns no former domains.
      type Found = { store: { slug: string }; isFormer?: boolean };
      const found = await this.#peers.call<Found>('identity', 'GET', path);
      return { slug: found?.store.slug, isFormer: found?.isFormer === true };
    },
  });

  constructor({ config, peers }: { config: OriginSettings; peers: Peers }) {
    this.#settings = config;
    this.#peers = peers;
  }

  /**
   * Returns the store whose own origin a `Host` is, below the domain of stores or at a merchant's domain; null: the
   * host is the system's.
   */
  findSite(host: string | undefined): Site | null | Promise<Site | null> {
    const { sites, systemHost } = this.#settings;
    const slug = sites.findSlug(host);
    if (slug) return { slug, isAtDomain: false, isFormer: false };
    const hostname = getHostname(host);
    if (hostname === systemHost || hostname === sites.domain || !isDomain(hostname)) return null;
    // A system may run without stores.
    if (!this.#peers.has('identity')) return null;
    return this.#slugAtDomain
      .forceFetch(hostname)
      .then(({ slug, isFormer }) => (slug ? { slug, isAtDomain: true, isFormer } : null));
  }

  /** Whether a certificate may be requested in order to show a store at this name. */
  async isShown(domain: string): Promise<boolean> {
    const hostname = getHostname(domain);
    const slug = this.#settings.sites.findSlug(hostname);
    if (slug) return slugs.test(slug) && (await this.#idOfSlug.forceFetch(slug)).id !== undefined;
    return isDomain(hostname) && (await this.#slugAtDomain.forceFetch(hostname)).slug !== undefined;
  }

  /**
   * Returns the URL to which a browser is redirected from a store's path below `/s`; null: the request is answered in
   * place. At a store's own origin (`at`), only paths of this store are redirected, which may come from links
   * elsewhere.
   */
  findHome(req: IncomingMessage, at: Site | null): string | null {
    const [, slug, rest] = /^\/s\/([^/?]+)(.*)$/s.exec(req.url!) ?? [];
    if (!slug || !slugs.test(slug) || !isRead(req)) return null;
    if (at === null ? req.headers['sec-fetch-dest'] !== 'document' : at.slug !== slug) return null;
    // Stays at the domain. A browser would take the text after two leading slashes for a host.
    if (at?.isAtDomain) return rest!.replace(/^[\\/]*/, '/');
    const origin = this.#settings.sites.findOrigin(slug, req.socket.localPort);
    return origin && origin + (rest!.startsWith('/') ? rest : `/${rest}`);
  }

  /** Returns the new address for visitors of a former domain: `decisions.md 19.12`. @throws not_found */
  movedTo({ slug }: Site, req: IncomingMessage): string {
    if (!isRead(req)) throw errors.not_found();
    const { sites, baseUrl } = this.#settings;
    const origin = sites.findOrigin(slug, req.socket.localPort);
    if (origin) return origin + req.url;
    // Without a configured address there is no target for the redirect.
    if (baseUrl === '') throw errors.not_found();
    const isShared = sharedPrefixes.some((prefix) => req.url!.startsWith(prefix));
    return baseUrl + (isShared ? '' : `/s/${slug}`) + req.url;
  }

  /**
   * Returns the target of a request to a store's own origin. Pages of the store are requested below `/s`, as
   * everywhere.
   * @throws not_found for paths of the system or of another store
   */
  async targetAt({ slug }: Site, req: IncomingMessage, path: string): Promise<Target> {
    if (!slugs.test(slug)) throw errors.not_found();
    if (sharedPrefixes.some((prefix) => path.startsWith(prefix) && path !== prefix)) {
      if (!(await this.#belongsToStore(slug, path))) throw errors.not_found();
      return findTarget(path) as Target;
    }
    if (!isRead(req) && findTarget(path)) throw errors.not_found();
    req.url = `/s/${slug}${req.url}`;
    return findTarget('/s') as Target;
  }

  /** Whether a path names no store other than this one. */
  async #belongsToStore(slug: string, path: string): Promise<boolean> {
    const text = decodePath(path);
    if (text === null) return false;
    const named = text.match(storeIds) ?? [];
    if (named.length === 0) return true;
    const store = await this.#idOfSlug.forceFetch(slug);
    return named.every((id) => id === store.id);
  }
}

/** Returns the host name without the port and a trailing dot. */
const getHostname = (host = '') => host.toLowerCase().replace(/:\d*$/, '').replace(/\.$/, '');

/** Decodes a path; null if its escapes are malformed. */
export function decodePath(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}
