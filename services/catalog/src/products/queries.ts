import type { Product } from '@waybill/contracts';
import { prepare } from '@waybill/kernel';
import { CompiledQuery, type Kysely, type Transaction } from 'kysely';
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

const timestamp = (column: string) =>
  `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * The public shape of a row `p` of product. PostgreSQL makes the JSON, and it is sent on as it comes. (Variants are
 * put in order before they are gathered: sorting inside an aggregate costs a tenth more.)
 */
const productJson = `json_build_object(
  'id', p.id, 'number', p.number, 'name', p.name, 'slug', p.slug, 'status', p.status,
  'description', p.description, 'tags', p.tags, 'mediaIds', p.media_ids,
  'variants', coalesce((
    select json_agg(json_build_object(
      'id', v.id, 'sku', v.sku, 'name', v.name, 'priceCents', v.price_cents, 'stock', v.stock
    ))
    from (
      select * from variant v where v.store_id = p.store_id and v.product_id = p.id order by v.position
    ) v
  ), '[]'::json),
  'priceCents', p.price_cents, 'totalStock', p.total_stock,
  'createdAt', ${timestamp('p.created_at')}, 'updatedAt', ${timestamp('p.updated_at')}
)`;

const findEnvelope = prepare<{ json: string }>(
  'product-find',
  `select json_build_object('product', ${productJson})::text as json
   from product p where p.store_id = $1 and p.id = $2`,
);

/** The `{ product }` envelope as JSON, null when the store has no such product. */
export async function findProductEnvelope(db: Db, storeId: string, id: string): Promise<string | null> {
  const { rows } = await db.executeQuery(findEnvelope([storeId, id]));
  return rows[0]?.json ?? null;
}

const sortColumns = {
  number: 'number',
  name: 'name_key',
  price: 'price_cents',
  stock: 'total_stock',
  created: 'created_at',
  updated: 'updated_at',
} as const;

const statuses = ['draft', 'active', 'archived'] as const;

/** The `{ products, total }` envelope as JSON. */
export async function listProductsEnvelope(db: Db, storeId: string, query: ListQuery): Promise<string> {
  const words = query.q?.toLowerCase().split(/\s+/u).filter(Boolean) ?? [];
  const { rows } = await db.executeQuery(
    words.length > 0 ? searchStatement(storeId, query, words) : listStatement(storeId, query),
  );
  return rows[0]!.json;
}

const orderBy = ({ sort, dir }: ListQuery) => {
  // Numbers are unique; ties of everything else are broken by the id.
  if (sort === 'number') return `order by number ${dir}`;
  const nulls = sort === 'price' ? ' nulls last' : '';
  return `order by ${sortColumns[sort]} ${dir}${nulls}, id ${dir}`;
};

/**
 * The list's envelope for the ids of `page`, in its order. Each product is looked up by its key, whatever the
 * planner thinks of the table's size.
 */
const listEnvelope = (total: string) => `
  select '{"products":[' || coalesce((
    select string_agg(product, ',') from (
      select (select ${productJson}::text from product p where p.store_id = $1 and p.id = page.id) as product
      from page order by place
    ) products
  ), '') || '],"total":' || ${total} || '}' as json`;

const listStatements = new Map<string, (values: readonly unknown[]) => CompiledQuery<{ json: string }>>();

/**
 * A statement for a page of a list. Limit and offset stand in its text: a planner that does not know them takes
 * a tenth of the store for the page. First pages of the usual size are written, and by each connection prepared,
 * once; others are planned as they come.
 */
function pageStatement(name: string, { limit, offset }: ListQuery, text: (limits: string) => string) {
  const limits = `limit ${limit} offset ${offset}`;
  if (limit !== 50 || offset !== 0) {
    return (values: readonly unknown[]) =>
      CompiledQuery.raw(text(limits), [...values]) as CompiledQuery<{ json: string }>;
  }
  const statement = listStatements.get(name) ?? prepare<{ json: string }>(name, text(limits));
  listStatements.set(name, statement);
  return statement;
}

/**
 * A list without search: of one status, or in the default order, it reads the beginning of one index; otherwise
 * it merges the beginnings of those of each status. The total comes from the store's counters.
 */
function listStatement(storeId: string, query: ListQuery): CompiledQuery<{ json: string }> {
  const { sort, dir, status, limit, offset } = query;
  const statement = pageStatement(`product-list-${sort}-${dir}-${status ?? 'all'}`, query, (limits) => {
    const rows = (condition: string, limits: string) =>
      `select id, ${sortColumns[sort]} from product where store_id = $1 ${condition} ${orderBy(query)} ${limits}`;
    const ofStatus = (each: string, limits: string) => rows(`and status = '${each}'`, limits);
    const branches = statuses.map((each) => `(${ofStatus(each, `limit ${limit + offset}`)})`);
    const ordered = status
      ? ofStatus(status, limits)
      : sort === 'number'
        ? rows('', limits)
        : `select id from (${branches.join(' union all ')}) merged ${orderBy(query)} ${limits}`;
    return `with page as (select id, row_number() over () as place from (${ordered}) ordered)
      ${listEnvelope(`coalesce((
        select ${(status ? [status] : statuses).join(' + ')} from product_total where store_id = $1
      ), 0)`)}`;
  });
  return statement([storeId]);
}

/** As many words as the trigram index is asked for; further ones are checked on the rows that it finds. */
const maxIndexedWords = 5;

function searchStatement(
  storeId: string,
  query: ListQuery,
  words: string[],
): CompiledQuery<{ json: string }> {
  const { sort, dir, status } = query;
  const patterns = words.map((word) => `%${word.replaceAll(/[\\%_]/g, '\\$&')}%`);
  const indexed = patterns.slice(0, maxIndexedWords);
  const further = patterns.slice(maxIndexedWords);
  const statement = pageStatement(
    `product-search-${sort}-${dir}-${status ?? 'all'}-${indexed.length}`,
    query,
    (limits) => `with matches as materialized (
      select id, ${sortColumns[sort]} from product
      where store_id = $1 ${indexed.map((_, i) => `and search like $${i + 3}`).join(' ')}
        and search like all ($2::text[]) ${status ? `and status = '${status}'` : ''}
    ), page as (
      select id, row_number() over () as place
      from (select id from matches ${orderBy(query)} ${limits}) ordered
    )
    ${listEnvelope('(select count(*) from matches)')}`,
  );
  return statement([storeId, further, ...indexed]);
}

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

const insert = prepare(
  'product-insert',
  `with total as (
     insert into product_total as t (store_id, last_number, draft, active, archived)
     values ($1, 1, ($5 = 'draft')::int, ($5 = 'active')::int, ($5 = 'archived')::int)
     on conflict (store_id) do update set last_number = t.last_number + 1,
       draft = t.draft + excluded.draft, active = t.active + excluded.active, archived = t.archived + excluded.archived
     returning last_number
   )
   insert into product (store_id, id, number, name, slug, status, description, tags, media_ids,
     name_key, search, price_cents, total_stock, created_at, updated_at)
   select $1, $2, last_number, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $13 from total`,
);

/** Inserts a product under the store's next number, counted, with its variants. */
export async function insertProduct(
  trx: Trx,
  storeId: string,
  product: ProductState,
  now: Date,
): Promise<void> {
  const { id, name, slug, status, description, tags, mediaIds, variants } = product;
  const { name_key, search, price_cents, total_stock } = derivedColumns(product);
  await trx.executeQuery(
    insert([
      storeId,
      id,
      name,
      slug,
      status,
      description,
      tags,
      mediaIds,
      name_key,
      search,
      price_cents,
      total_stock,
      now,
    ]),
  );
  await insertVariants(trx, storeId, id, variants);
}

const insertAllVariants = prepare(
  'variant-insert',
  `insert into variant (store_id, product_id, position, id, sku, name, price_cents, stock)
   select $1, $2, position, id, sku, name, price_cents, stock
   from unnest($3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[]) with ordinality
     as v (id, sku, name, price_cents, stock, position)`,
);

async function insertVariants(
  trx: Trx,
  storeId: string,
  productId: string,
  variants: VariantState[],
): Promise<void> {
  if (variants.length === 0) return;
  const column = <Key extends keyof VariantState>(key: Key) => variants.map((variant) => variant[key]);
  await trx.executeQuery(
    insertAllVariants([
      storeId,
      productId,
      column('id'),
      column('sku'),
      column('name'),
      column('priceCents'),
      column('stock'),
    ]),
  );
}

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
      updated_at: now,
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
  await insertVariants(trx, storeId, productId, variants);
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
    name_key: name
      .normalize('NFKD')
      .replace(/\p{M}+/gu, '')
      .toLowerCase(),
    search: [name, slug, ...skus, ...tags].join('\n').toLowerCase(),
    price_cents: prices.length > 0 ? Math.min(...prices) : null,
    total_stock: variants.reduce((sum, { stock }) => sum + stock, 0),
  };
}
