import {
  createStoreIndexCheck,
  defineParts,
  defineSearch,
  type ListRead,
  orderBy,
  type Page,
  parsePage,
  prepareSearch,
  rangesAfter,
  readItems,
  readMatches,
  type SearchIndex,
  type SortKey,
  sortedBy,
  splitWords,
  trigramShares,
  withItemCache,
} from '@waybill/kernel';
import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';
import { categoryIdsSql, ifCategorised, productJson } from './json.ts';
import type { ListQuery } from './routes.ts';

type Db = Kysely<Tables>;

/** The sort keys of product lists. */
export const sortKeys: Readonly<Record<ListQuery['sort'], Omit<SortKey, 'dir'>>> = {
  number: { column: 'number', type: 'bigint' },
  name: { column: 'name_key', type: 'text' },
  price: { column: 'price_cents', type: 'bigint', nulls: 'last' },
  stock: { column: 'total_stock', type: 'bigint' },
  created: { column: 'created_at', type: 'timestamptz' },
  updated: { column: 'updated_at', type: 'timestamptz' },
};

const statuses = ['draft', 'active', 'archived'] as const;

/** Number of bytes of a category's id in JSON. A product may be in all categories of the store. */
const categoryIdBytes = 33;

/**
 * The items of product lists. Pages are read in parts, because products may have long descriptions and many variants.
 * The cache's version adds categories and custom-field definitions to `updated_at`, because their changes do not move
 * it.
 */
export const listed = withItemCache(
  {
    name: 'product',
    table: 'product',
    alias: 'p',
    json: () => productJson(),
    bytes: `(coalesce(p.json_bytes, octet_length(p.description)) + ${categoryIdBytes} * coalesce(${ifCategorised(
      '(select count(*) from category_product c where c.store_id = p.store_id and c.product_id = p.id)',
    )}, 0))`,
  },
  `concat(extract(epoch from p.updated_at), ' ', ${ifCategorised(`hash_array_extended(${categoryIdsSql}, 0)`)}, ' ', hash_array_extended(
    array(select f.revision from custom_field f where f.store_id = p.store_id order by f.id), 0
  ))`,
);

/** How searches use the index on the column `search` of products. */
export const searchIndex: SearchIndex = {
  startsFromStore: createStoreIndexCheck(
    'product',
    ($) => `select draft + active + archived from product_total where store_id = ${$.storeId}`,
  ),
  readShares: trigramShares('product_trigrams'),
};

/**
 * Returns a page of the store's products, and their total number. A list without search that has one status or the
 * default order reads a range of one index; otherwise the list merges the ranges of each status. The total comes from
 * the store's counters.
 * @throws invalid_cursor
 */
export async function listProducts(db: Db, storeId: string, query: ListQuery): Promise<ListRead> {
  const { sort, dir, status } = query;
  const page = parsePage('products', [storeId], query, sortedBy(sortKeys, query, 'number'));
  const of = { kind: `${sort}-${dir}-${status ?? 'all'}`, values: { storeId } };
  const words = splitWords(query.q);
  if (query.categoryId) return listCategoryProducts(db, storeId, query.categoryId, query, page);
  const statusCondition = (each: string) => `status = '${each}'`;
  if (words.length > 0) {
    const filter = () => (status ? `and ${statusCondition(status)}` : '');
    return readMatches(db, listed, page, { ...of, words, index: searchIndex, filter });
  }
  const listedStatuses = status ? [status] : statuses;
  const each = sort === 'number' && !status ? ['true'] : listedStatuses.map(statusCondition);
  return readItems(db, listed, page, {
    ...of,
    each,
    total: ($) =>
      `coalesce((select ${listedStatuses.join(' + ')} from product_total where store_id = ${$.storeId}), 0)`,
  });
}

/** Returns a page of the products that a category contains, and their total number. */
async function listCategoryProducts(
  db: Db,
  storeId: string,
  categoryId: string,
  { sort, dir, status, q }: ListQuery,
  page: Page,
): Promise<ListRead> {
  const found = await prepareSearch(db, storeId, splitWords(q), searchIndex);
  type Values = typeof found.values & { storeId: string; categoryId: string };
  return readItems<Values>(db, listed, page, {
    kind: `category-${sort}-${dir}-${status ?? 'all'}-${found.kind}`,
    values: { ...found.values, storeId, categoryId },
    before: ($) => `matches as materialized (
      select p.id, p.number, p.name_key, p.price_cents, p.total_stock, p.created_at, p.updated_at
      from category_product c join product p on p.store_id = c.store_id and p.id = c.product_id
      where c.store_id = ${$.storeId} and c.category_id = ${$.categoryId}
        ${status ? `and p.status = '${status}'` : ''} ${found.conditions($, 'p')}
    ),`,
    rows: (_, { after, limits, page }) => `select * from matches
      where ${rangesAfter(page.order, after).join(' or ')} ${orderBy(page.order)} ${limits}`,
    total: () => '(select count(*) from matches)',
  });
}

/** Reads the products of a page that were not yet sent, in the page's order. */
export const readProducts = defineParts(listed);

/** Finds products for the search over everything. */
export const searchProducts = defineSearch({
  type: 'product',
  table: 'product',
  text: 't.search',
  title: 't.name',
  subtitle: 't.slug',
  index: searchIndex,
});
