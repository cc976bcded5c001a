import { foldText, type Product } from '@waybill/contracts';
import { bare, changedAt, jsonArray, jsonObject, type Places, prepare, searchText } from '@waybill/kernel';
import type { Kysely, Transaction } from 'kysely';
import type { Tables } from '../tables.ts';
import { factsJson, productEnvelope } from './json.ts';

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
export function derivedColumns({ name, slug, tags, variants }: ProductState) {
  const skus = variants.flatMap(({ sku }) => sku ?? []);
  const prices = variants.map(({ priceCents }) => priceCents);
  return {
    name_key: foldText(name),
    search: searchText(name, slug, ...skus, ...tags),
    price_cents: prices.length > 0 ? Math.min(...prices) : null,
    total_stock: variants.reduce((sum, { stock }) => sum + stock, 0),
  };
}
