import {
  defineParts,
  defineSearch,
  type ListItem,
  type ListRead,
  pageOf,
  readItems,
  readMatches,
  type SearchIndex,
  type SortKey,
  sortedBy,
  storeInIndex,
  trigramShares,
  wordsOf,
} from '@waybill/kernel';
import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';
import { productJson } from './json.ts';
import type { ListQuery } from './routes.ts';

type Db = Kysely<Tables>;

/** What lists of products can be sorted by. */
export const sortKeys: Readonly<Record<ListQuery['sort'], Omit<SortKey, 'dir'>>> = {
  number: { column: 'number', type: 'bigint' },
  name: { column: 'name_key', type: 'text' },
  price: { column: 'price_cents', type: 'bigint', nulls: 'last' },
  stock: { column: 'total_stock', type: 'bigint' },
  created: { column: 'created_at', type: 'timestamptz' },
  updated: { column: 'updated_at', type: 'timestamptz' },
};

const statuses = ['draft', 'active', 'archived'] as const;

/** A page of it comes in parts, as its products may have long descriptions and many variants. */
const listed: ListItem = {
  name: 'product',
  table: 'product',
  alias: 'p',
  json: () => productJson(),
  bytes: 'coalesce(p.json_bytes, octet_length(p.description))',
};

/** How the index on products' `search` is asked. */
export const searchIndex: SearchIndex = {
  leadsFromStore: storeInIndex(
    'product',
    ($) => `select draft + active + archived from product_total where store_id = ${$.storeId}`,
  ),
  sharesOf: trigramShares('product_trigrams'),
};

/**
 * A page of the store's products, and how many there are. A list without search of one status, or in the default order,
 * reads the beginning of one index, or from a position on; otherwise it merges those of each status. The total comes from
 * the store's counters.
 * @throws invalid_cursor
 */
export async function listProducts(db: Db, storeId: string, query: ListQuery): Promise<ListRead> {
  const { sort, dir, status } = query;
  const page = pageOf('products', [storeId], query, sortedBy(sortKeys, query, 'number'));
  const of = { kind: `${sort}-${dir}-${status ?? 'all'}`, values: { storeId } };
  const words = wordsOf(query.q);
  const ofStatus = (each: string) => `status = '${each}'`;
  if (words.length > 0) {
    const filter = () => (status ? `and ${ofStatus(status)}` : '');
    return readMatches(db, listed, page, { ...of, words, index: searchIndex, filter });
  }
  const wanted = status ? [status] : statuses;
  const each = sort === 'number' && !status ? ['true'] : wanted.map(ofStatus);
  return readItems(db, listed, page, {
    ...of,
    each,
    total: ($) =>
      `coalesce((select ${wanted.join(' + ')} from product_total where store_id = ${$.storeId}), 0)`,
  });
}

/** The products of a page that are still to come, in that order. */
export const readProducts = defineParts(listed);

/** Products for the search over everything. */
export const searchProducts = defineSearch({
  type: 'product',
  table: 'product',
  text: 't.search',
  title: 't.name',
  subtitle: 't.slug',
  index: searchIndex,
});
