import type { IncomingMessage } from 'node:http';
import { errors, type StoreFacts, slugPattern } from '@waybill/contracts';
import type { ServiceContext } from '@waybill/kernel';
import { LRUCache } from 'lru-cache';
import type { Config } from './config.ts';
import { findTarget, type Target } from './prefixes.ts';

/** What a store's own origin has of the system beside the store's pages, `decisions.md 17.7`. */
const sharedPrefixes = ['/media/', '/assets/', '/islands/', '/storefront/'];

const slugs = new RegExp(slugPattern);
const storeIds = /str_[0-9a-hjkmnp-tv-z]{26}/g;
/** A store that takes another's slug is known by it after this long. */
const keptMs = 5_000;

const isRead = ({ method }: IncomingMessage) => method === 'GET' || method === 'HEAD';

/** Stores at origins of their own: who is asked for there, and which browsers are sent there. */
export function createOwnOrigins({ config: { sites }, peers }: ServiceContext<Config>) {
  const idOfSlug = new LRUCache<string, { id: string | undefined }>({
    max: 10_000,
    ttl: keptMs,
    // While identity is away, what it said last still holds.
    allowStaleOnFetchRejection: true,
    noDeleteOnFetchRejection: true,
    async fetchMethod(slug) {
      const path = `/internal/store-slugs/${slug}`;
      const found = await peers.call<{ store: StoreFacts }>('identity', 'GET', path);
      return { id: found?.store.id };
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
    /**
     * Where a browser goes that was led to a store below `/s`, with the rest of its path; null: it is answered in place.
     * At a store's own origin (`at`) that is for addresses of this store that were written down elsewhere.
     */
    homeOf(req: IncomingMessage, at: string | null): string | null {
      const [, slug, rest] = /^\/s\/([^/?]+)(.*)$/s.exec(req.url!) ?? [];
      if (!slug || !slugs.test(slug) || !isRead(req)) return null;
      if (at === null ? req.headers['sec-fetch-dest'] !== 'document' : at !== slug) return null;
      const origin = sites.originOf(slug, req.socket.localPort);
      return origin && origin + (rest!.startsWith('/') ? rest : `/${rest}`);
    },

    /**
     * Whose a request to a store's own origin is: the store's pages are asked for below `/s`, as everywhere.
     * @throws not_found for what is the system's or another store's
     */
    async targetAt(slug: string, req: IncomingMessage, path: string): Promise<Target> {
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

function decoded(path: string): string | null {
  try {
    return decodeURIComponent(path);
  } catch {
    return null;
  }
}
