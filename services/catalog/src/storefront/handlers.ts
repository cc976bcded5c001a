import { hash } from 'node:crypto';
import type { Problem, StoreFacts } from '@waybill/contracts';
import { Answer, type Handlers, jsonType, matchesIfNoneMatch, type ServiceContext } from '@waybill/kernel';
import { LRUCache } from 'lru-cache';
import type { Config } from '../config.ts';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import { type ProductFilters, readCategories, readFilters } from './filters.ts';
import { shareIndexes } from './indexes.ts';
import { findShownProduct, listShownProducts } from './queries.ts';
import type { routes, ShopQuery } from './routes.ts';
import { isSearch, listAllFacets, searchShown } from './search.ts';

/** As long as clients may cache answers. */
const cacheMs = 60_000;

export const handlers = ({
  db,
  peers,
  shareQuery,
  config,
}: ServiceContext<Config, Tables>): Handlers<typeof routes> => {
  // Identical requests of several visitors share one read.
  const shownList = shareQuery(listShownProducts);
  const indexes = shareIndexes(db, config.searchMemory);
  type SearchCriteria = Omit<ShopQuery, 'category'> & { categories: string[] };
  const found = shareQuery(
    (db, storeId, { criteria, filters }: { criteria: SearchCriteria; filters: ProductFilters }) =>
      searchShown(db, indexes, storeId, criteria, filters),
  );
  const allFacets = shareQuery((_, storeId) => listAllFacets(indexes, storeId));
  const shownProduct = shareQuery(findShownProduct);
  const currencies = new LRUCache<string, { currency: string | null }>({
    max: 10_000,
    ttl: cacheMs,
    // While the identity service is unreachable, its last answer stays in use.
    allowStaleOnFetchRejection: true,
    noDeleteOnFetchRejection: true,
    async fetchMethod(storeId) {
      const found = await peers.call<{ store: StoreFacts }>('identity', 'GET', `/internal/stores/${storeId}`);
      return { currency: found?.store.currency ?? null };
    },
  });

  /** Returns the store's currency. Throws `not_found` if no open store has this id. */
  async function readCurrency(storeId: string): Promise<string> {
    if (!peers.has('identity')) throw errors.resource_unavailable();
    const { currency } = await currencies.forceFetch(storeId);
    if (currency === null) throw errors.not_found();
    return currency;
  }

  return {
    async listStorefrontProducts({ params: { storeId }, query: { category: _, ...query }, headers, url }) {
      const params = new URLSearchParams(url.slice(url.indexOf('?') + 1));
      const details: Problem[] = [];
      const addProblem = (name: string, message: string) =>
        void details.push({ pointer: `/${name}`, message });
      const filters = readFilters(params, addProblem);
      const criteria = { ...query, categories: readCategories(params.getAll('category'), addProblem) };
      if (details.length > 0) throw errors.invalid_body({ details: details.slice(0, 100) });
      // Waits for this check before a search, so that only open stores get an index.
      const known = readCurrency(storeId);
      const [currency, { items, total, nextCursor, facets }] = await Promise.all([
        known,
        isSearch(criteria, filters)
          ? known.then(() => found(storeId, { criteria, filters }))
          : Promise.all([
              shownList(storeId, query),
              query.facets ? known.then(() => allFacets(storeId, null)) : [],
            ]).then(([page, facets]) => ({ ...page, facets })),
      ]);
      const more = query.facets ? `,"facets":${JSON.stringify(facets)}` : '';
      const end = `"total":${total},"nextCursor":${JSON.stringify(nextCursor)},"currency":"${currency}"${more}`;
      return cacheable(`{"products":[${items}],${end}}`, headers);
    },
    async getStorefrontProduct({ params: { storeId, slug }, headers }) {
      const [currency, product] = await Promise.all([readCurrency(storeId), shownProduct(storeId, slug)]);
      if (product === null) throw errors.not_found({ message: 'This product does not exist.' });
      return cacheable(`{"product":${product},"currency":"${currency}"}`, headers);
    },
  };
};

/** Builds an answer that any cache may keep for a minute and then revalidate. */
function cacheable(json: string, headers: Readonly<Record<string, string | string[] | undefined>>): Answer {
  const etag = `"${hash('sha256', json, 'base64url')}"`;
  const responseHeaders = { etag, 'cache-control': 'public, max-age=60' };
  return matchesIfNoneMatch(headers, etag)
    ? new Answer('', jsonType, responseHeaders, 304)
    : new Answer(json, jsonType, responseHeaders);
}
