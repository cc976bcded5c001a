import { mediaPath, type Product, sortKey } from '@waybill/contracts';
import {
  bare,
  changedAt,
  defineParts,
  defineSearch,
  type Emission,
  encoded,
  encodedOrNull,
  insertEmissions,
  type JsonValue,
  jsonArray,
  jsonObject,
  type ListItem,
  type ListRead,
  type Places,
  pageOf,
  prepare,
  quoted,
  readItems,
  readMatches,
  type SearchIndex,
  type SortKey,
  sortedBy,
  storeInIndex,
  timestamp,
  trigramShares,
  wordsOf,
} from '@waybill/kernel';
import type { Kysely, Transaction } from 'kysely';
import type { Tables } from '../tables.ts';
import type { ListQuery } from './routes.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

export interface VariantState {
  id: string;
  sku: string | null;
  name: string;
  priceCents: number;
  stock: number;
}

/** A product as it is written: without what is derived. */
export interface ProductState
  extends Pick<Product, 'id' | 'name' | 'slug' | 'status' | 'description' | 'tags' | 'mediaIds'> {
  variants: VariantState[];
}

/** Where files are, for `format` with a store and an id; a setting of the database's connections, so that all SQL can read it. */
const mediaUrlSetting = 'waybill.media_url';

/** The settings of the database's connections that this SQL reads. */
export const sqlSettings = ({ baseUrl }: { baseUrl: string }) => ({
  [mediaUrlSetting]: baseUrl.replaceAll('%', '%%') + mediaPath('%1$s', '%2$s'),
});

/** The files of a row `p` of product; most have none, and cost nothing. */
export const mediaJson = `case when p.media_ids = '{}' then '[]' else ${jsonArray(
  jsonObject({
    id: quoted('m.id'),
    url: encoded(`format(current_setting('${mediaUrlSetting}', true), p.store_id, m.id)`),
  }),
  '(select * from unnest(p.media_ids) with ordinality as m (id, place) order by place) m',
)} end`;

/** Of each variant of a row `p` of product. They are put in order before they are gathered: sorting inside an aggregate costs a tenth more. */
export const variantsJson = (members: Readonly<Record<string, JsonValue>>): string =>
  jsonArray(
    jsonObject(members),
    '(select * from variant v where v.store_id = p.store_id and v.product_id = p.id order by v.position) v',
  );

const allVariants = (stock = 'v.stock') =>
  bare(
    variantsJson({
      id: quoted('v.id'),
      sku: encodedOrNull('v.sku'),
      name: encoded('v.name'),
      priceCents: bare('v.price_cents'),
      stock: bare(stock),
    }),
  );

/**
 * The public shape of a row `p` of product, `stock` being SQL of a variant `v` of it. PostgreSQL makes the JSON, and it is
 * sent on as it comes.
 */
export const productJson = (stock?: string) =>
  jsonObject({
    ...{ id: quoted('p.id'), number: bare('p.number'), name: encoded('p.name'), slug: quoted('p.slug') },
    ...{ status: quoted('p.status'), description: encoded('p.description'), tags: encoded('p.tags') },
    ...{ mediaIds: encoded('p.media_ids'), media: bare(mediaJson), variants: allVariants(stock) },
    ...{ priceCents: encodedOrNull('p.price_cents'), totalStock: bare('p.total_stock') },
    ...{ createdAt: quoted(timestamp('p.created_at')), updatedAt: quoted(timestamp('p.updated_at')) },
  });

/** Its `{ product }` envelope. */
export const productEnvelope = (stock?: string): string => jsonObject({ product: bare(productJson(stock)) });

const findEnvelope = prepare<{ json: string }>(
  'product-find',
  `select ${productEnvelope()} as json from product p where p.store_id = $1 and p.id = $2`,
);

/** The `{ product }` envelope as JSON, null when the store has no such product. */
export async function findProductEnvelope(db: Db, storeId: string, id: string): Promise<string | null> {
  const { rows } = await db.executeQuery(findEnvelope([storeId, id]));
  return rows[0]?.json ?? null;
}

const findEnvelopes = prepare<{ id: string; json: string }>(
  'products-find',
  `select p.id, ${productEnvelope()} as json from product p where p.store_id = $1 and p.id = any($2::text[])`,
);

/** The same of each of several. */
export async function findProductEnvelopes(
  db: Db,
  storeId: string,
  ids: readonly string[],
): Promise<(string | null)[]> {
  if (ids.length === 1) return [await findProductEnvelope(db, storeId, ids[0]!)];
  const { rows } = await db.executeQuery(findEnvelopes([storeId, ids]));
  const found = new Map(rows.map(({ id, json }) => [id, json]));
  return ids.map((id) => found.get(id) ?? null);
}

/** What other services show of a row `p` of product. */
export const factsJson = jsonObject({
  ...{
    id: quoted('p.id'),
    name: encoded('p.name'),
    slug: quoted('p.slug'),
    priceCents: encodedOrNull('p.price_cents'),
  },
  ...{ variants: allVariants(), mediaIds: encoded('p.media_ids') },
});

const lookUp = prepare<{ json: string }>(
  'product-look-up',
  `select ${jsonObject({
    products: bare(
      jsonArray(
        factsJson,
        `(select * from product p where p.store_id = $1 and p.id = any($2::text[]) and ($3::text is null or p.status = $3)
          order by p.number) p`,
      ),
    ),
  })} as json`,
);

/** `{ products }` as JSON, each a `ProductFacts`: those of these ids that the store has, in that state. */
export async function lookUpProducts(
  db: Db,
  storeId: string,
  ids: readonly string[],
  status?: Product['status'],
): Promise<string> {
  const { rows } = await db.executeQuery(lookUp([storeId, ids, status ?? null]));
  return rows[0]!.json;
}

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

/** A page of it comes in parts, as its products may have long descriptions. */
const listed: ListItem = {
  name: 'product',
  table: 'product',
  alias: 'p',
  json: () => productJson(),
  bytes: 'octet_length(p.description)',
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

/** Which of some slugs the store uses. */
export async function takenSlugs(
  trx: Trx,
  storeId: string,
  candidates: string[],
): Promise<ReadonlySet<string>> {
  const rows = await trx
    .selectFrom('product')
    .select('slug')
    .where('store_id', '=', storeId)
    .where('slug', 'in', candidates)
    .execute();
  return new Set(rows.map(({ slug }) => slug));
}

/** Keeps every other create of the store waiting until the transaction ends. */
export async function lockNumbers(trx: Trx, storeId: string): Promise<void> {
  await trx
    .selectFrom('product_total')
    .select('last_number')
    .where('store_id', '=', storeId)
    .forUpdate()
    .execute();
}

/** What a statement inserts variants from: a value of each column. */
interface VariantColumns {
  variantIds: string[];
  skus: (string | null)[];
  variantNames: string[];
  prices: number[];
  stocks: number[];
}

const variantRows = ($: Places<VariantColumns>) => `unnest(
  ${$.variantIds}::text[], ${$.skus}::text[], ${$.variantNames}::text[], ${$.prices}::bigint[], ${$.stocks}::bigint[]
) with ordinality as v (id, sku, name, price_cents, stock, position)`;

const columnsOf = (variants: readonly VariantState[]): VariantColumns => ({
  variantIds: variants.map(({ id }) => id),
  skus: variants.map(({ sku }) => sku),
  variantNames: variants.map(({ name }) => name),
  prices: variants.map(({ priceCents }) => priceCents),
  stocks: variants.map(({ stock }) => stock),
});

/** A product to be inserted, with what of its event its transaction does not make. */
export interface NewProduct {
  product: ProductState;
  event: Emission;
}

/** Its columns, and those of its variants, by their names: what the statement reads as JSON. */
const rowOf = ({ product: { variants, mediaIds, ...product }, event }: NewProduct) => ({
  ...product,
  media_ids: mediaIds,
  ...derivedColumns({ ...product, mediaIds, variants }),
  ...event,
  variants: variants.map(({ priceCents, ...variant }) => ({ ...variant, price_cents: priceCents })),
});

/**
 * One statement, as all creates of a store wait for each other from its counter to the commit. What is inserted
 * here cannot be read here: the JSON takes its variants from the result called `variant` as it does from the table.
 */
const insert = prepare<{ json: string }, { storeId: string; rows: string; now: Date }>(
  'product-insert',
  ($) => `with incoming as materialized (
     select * from rows from (json_to_recordset(${$.rows}) as (
       id text, name text, slug text, status text, description text, tags text[], media_ids text[], name_key text,
       search text, price_cents bigint, total_stock bigint, variants json, event_id text, event_name text, event_trace text
     )) with ordinality as i (id, name, slug, status, description, tags, media_ids, name_key, search, price_cents,
       total_stock, variants, event_id, event_name, event_trace, place)
   ), total as (
     update product_total set last_number = last_number + n.rows, draft = product_total.draft + n.draft,
       active = product_total.active + n.active, archived = product_total.archived + n.archived
     from (
       select count(*) as rows, count(*) filter (where status = 'draft') as draft,
         count(*) filter (where status = 'active') as active, count(*) filter (where status = 'archived') as archived
       from incoming
     ) n
     where store_id = ${$.storeId}
     returning last_number - n.rows as before
   ), p as (
     insert into product (store_id, id, number, name, slug, status, description, tags, media_ids,
       name_key, search, price_cents, total_stock, created_at, updated_at)
     select ${$.storeId}, id, before + place, name, slug, status, description, tags, media_ids,
       name_key, search, price_cents, total_stock, ${$.now}, ${$.now}
     from incoming cross join total
     returning *
   ), variant as (
     insert into variant (store_id, product_id, position, id, sku, name, price_cents, stock)
     select ${$.storeId}, i.id, v.position, v.id, v.sku, v.name, v.price_cents, v.stock
     from total cross join incoming i cross join lateral rows from (json_to_recordset(i.variants) as (
       id text, sku text, name text, price_cents bigint, stock bigint
     )) with ordinality as v (id, sku, name, price_cents, stock, position)
     returning *
   ), told as (
     select i.event_id, i.event_name, i.event_trace, i.place, p.store_id,
       ${productEnvelope()} as json
     from p join incoming i on i.id = p.id
   ), event as (${insertEmissions('told')})
   select json from told order by place`,
);

/**
 * Inserts products under the store's next numbers, in this order, counted, with their variants and the events that say
 * so. Gives the `{ product }` envelope of each as JSON, which is its event's data.
 */
export async function insertProducts(
  trx: Trx,
  storeId: string,
  products: readonly NewProduct[],
  now: Date,
): Promise<string[]> {
  const statement = insert({ storeId, rows: JSON.stringify(products.map(rowOf)), now });
  const { rows } = await trx.executeQuery(statement);
  if (rows.length > 0) return rows.map(({ json }) => json);
  // The store's first product. Not an upsert: those who wait for one begin it anew with every commit before theirs.
  await trx
    .insertInto('product_total')
    .values({ store_id: storeId, last_number: 0, draft: 0, active: 0, archived: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await trx.executeQuery(statement)).rows.map(({ json }) => json);
}

const insertAllVariants = prepare<unknown, VariantColumns & { storeId: string; productId: string }>(
  'variant-insert',
  ($) => `insert into variant (store_id, product_id, position, id, sku, name, price_cents, stock)
   select ${$.storeId}, ${$.productId}, position, id, sku, name, price_cents, stock from ${variantRows($)}`,
);

/** The product as it is now, locked until the transaction ends; null when the store has none. */
export async function lockProduct(trx: Trx, storeId: string, id: string): Promise<ProductState | null> {
  const row = await trx
    .selectFrom('product')
    .select(['id', 'name', 'slug', 'status', 'description', 'tags', 'media_ids as mediaIds'])
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  if (!row) return null;
  const variants = await trx
    .selectFrom('variant')
    .select(['id', 'sku', 'name', 'price_cents as priceCents', 'stock'])
    .where('store_id', '=', storeId)
    .where('product_id', '=', id)
    .orderBy('position')
    .execute();
  return { ...row, variants };
}

/** Writes everything of a product but its variants. */
export async function updateProduct(
  trx: Trx,
  storeId: string,
  product: ProductState,
  now: Date,
): Promise<void> {
  const { id, name, slug, status, description, tags, mediaIds } = product;
  await trx
    .updateTable('product')
    .set({
      name,
      slug,
      status,
      description,
      tags,
      media_ids: mediaIds,
      updated_at: changedAt(now),
      ...derivedColumns(product),
    })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .execute();
}

/** Puts these variants in place of all that the product has. */
export async function replaceVariants(
  trx: Trx,
  storeId: string,
  productId: string,
  variants: VariantState[],
): Promise<void> {
  await trx
    .deleteFrom('variant')
    .where('store_id', '=', storeId)
    .where('product_id', '=', productId)
    .execute();
  if (variants.length > 0)
    await trx.executeQuery(insertAllVariants({ storeId, productId, ...columnsOf(variants) }));
}

/** Moves the count of a status by `by`. */
export async function countProduct(
  trx: Trx,
  storeId: string,
  status: Product['status'],
  by: 1 | -1,
): Promise<void> {
  await trx
    .updateTable('product_total')
    .set((eb) => ({ [status]: eb(status, '+', by) }))
    .where('store_id', '=', storeId)
    .execute();
}

/** Deletes a product with its variants; null when the store has none. */
export async function deleteProductRow(trx: Trx, storeId: string, id: string) {
  const row = await trx
    .deleteFrom('product')
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .returning(['number', 'slug', 'status'])
    .executeTakeFirst();
  return row ?? null;
}

/** What is stored for sorting and searching, and the derived price and stock: `store-api.md 2.2`. */
function derivedColumns({ name, slug, tags, variants }: ProductState) {
  const skus = variants.flatMap(({ sku }) => sku ?? []);
  const prices = variants.map(({ priceCents }) => priceCents);
  return {
    name_key: sortKey(name),
    search: [name, slug, ...skus, ...tags].join('\n').toLowerCase(),
    price_cents: prices.length > 0 ? Math.min(...prices) : null,
    total_stock: variants.reduce((sum, { stock }) => sum + stock, 0),
  };
}
