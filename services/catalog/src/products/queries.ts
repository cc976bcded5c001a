import type { Product } from '@waybill/contracts';
import {
  addInterval,
  bare,
  jsonArray,
  jsonObject,
  prepare,
  prepareFindExisting,
  withinStore,
} from '@waybill/kernel';
import type { Kysely, Transaction } from 'kysely';
import type { Tables } from '../tables.ts';
import {
  type ProductState,
  productColumns,
  productRow,
  selectedProduct,
  selectedVariant,
  typedProductColumns,
  typedVariantColumns,
  type VariantState,
  variantColumns,
  variantRow,
} from './fields.ts';
import { factsJson, productEnvelope } from './json.ts';
import { listed } from './list-queries.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

const findEnvelope = prepare<{ json: string }>(
  'product-find',
  withinStore('$1', `select ${productEnvelope()} as json from product p where p.store_id = $1 and p.id = $2`),
);

/** Returns the `{ product }` envelope as JSON, or null if the store has no such product. */
export async function findProductEnvelope(db: Db, storeId: string, id: string): Promise<string | null> {
  const { rows } = await db.executeQuery(findEnvelope([storeId, id]));
  return rows[0]?.json ?? null;
}

/**
 * Returns the envelopes of several products. The database builds those that have changed since this process last read
 * them. A transaction, which may have changed them itself, always reads them whole.
 */
export async function findProductEnvelopes(
  db: Db,
  storeId: string,
  ids: readonly string[],
): Promise<(string | null)[]> {
  if (db.isTransaction) return Promise.all(ids.map((id) => findProductEnvelope(db, storeId, id)));
  const items = await listed.cache.findEach(db, { storeId }, ids);
  return items.map((json) => json && `{"product":${json}}`);
}

const lookUp = prepare<{ json: string }>(
  'product-look-up',
  withinStore(
    '$1',
    `select ${jsonObject({
      products: bare(
        jsonArray(
          factsJson,
          `(select * from product p where p.store_id = $1 and p.id = any($2::text[]) and ($3::text is null or p.status = $3)
          order by p.number) p`,
        ),
      ),
    })} as json`,
  ),
);

/**
 * Returns `{ products }` as JSON, each a `ProductFacts`: the given products that the store has, in the given status.
 */
export async function lookUpProducts(
  db: Db,
  storeId: string,
  ids: readonly string[],
  status?: Product['status'],
): Promise<string> {
  const { rows } = await db.executeQuery(lookUp([storeId, ids, status ?? null]));
  return rows[0]!.json;
}

/** Returns which of the given slugs the store's products use. */
export const findExistingSlugs = prepareFindExisting('product', 'slug');

/** Locks the store's numbers, so that all its other creates wait until the transaction ends. */
export async function lockNumbers(trx: Trx, storeId: string): Promise<void> {
  await trx
    .selectFrom('product_total')
    .select('last_number')
    .where('store_id', '=', storeId)
    .forUpdate()
    .execute();
}

/** A product, locked by the transaction that read it. */
export interface LockedProduct extends ProductState {
  createdAt: Date;
}

const lock = prepare<Omit<LockedProduct, 'variants'>>(
  'product-lock',
  `select p.id, p.created_at as "createdAt", ${selectedProduct} from product p
   where p.store_id = $1 and p.id = $2 for update`,
);
const selectVariants = prepare<VariantState>(
  'product-variants',
  `select ${selectedVariant} from variant v where v.store_id = $1 and v.product_id = $2 order by v.position`,
);

/** Reads a product and locks it until the transaction ends. Returns null if the store has no such product. */
export async function lockProduct(trx: Trx, storeId: string, id: string): Promise<LockedProduct | null> {
  const { rows } = await trx.executeQuery(lock([storeId, id]));
  const [row] = rows;
  if (!row) return null;
  const variants = await trx.executeQuery(selectVariants([storeId, id]));
  return { ...row, variants: variants.rows };
}

const update = prepare<unknown, { storeId: string; id: string; row: string; now: Date }>(
  'product-update',
  // The single row is a set on purpose: Citus would turn a record into a constant and lose its columns.
  ($) => `with r as materialized (
     select * from json_to_recordset(${$.row}) as r (${typedProductColumns.join(', ')})
   )
   update product p set ${productColumns.map((column) => `${column} = r.${column}`).join(', ')},
     updated_at = greatest(${$.now}::timestamptz, ${addInterval('p.updated_at', '1 millisecond')})
   from r where p.store_id = ${$.storeId} and p.id = ${$.id}`,
);

/** Writes a product without its variants. */
export async function updateProduct(
  trx: Trx,
  storeId: string,
  product: ProductState,
  now: Date,
): Promise<void> {
  const row = JSON.stringify([productRow(product)]);
  await trx.executeQuery(update({ storeId, id: product.id, row, now }));
}

const insertVariants = prepare<unknown, { storeId: string; productId: string; rows: string }>(
  'variant-insert',
  ($) => `insert into variant (store_id, product_id, position, ${variantColumns.join(', ')})
   select ${$.storeId}, ${$.productId}, position, ${variantColumns.join(', ')}
   from json_to_recordset(${$.rows}) as r (position integer, ${typedVariantColumns.join(', ')})`,
);

/** A variant with its position among the product's variants, counted from 1. */
export interface PositionedVariant {
  position: number;
  variant: VariantState;
}

/**
 * Deletes the removed variants and then inserts the written ones; the others stay. In this order an SKU can move from
 * one variant to another.
 */
export async function replaceVariants(
  trx: Trx,
  storeId: string,
  productId: string,
  removed: readonly string[],
  written: readonly PositionedVariant[],
): Promise<void> {
  if (removed.length > 0)
    await trx
      .deleteFrom('variant')
      .where('store_id', '=', storeId)
      .where('product_id', '=', productId)
      .where('id', '=', (eb) => eb.fn.any(eb.val(removed)))
      .execute();
  if (written.length === 0) return;
  const rows = written.map(({ position, variant }) => ({ position, ...variantRow(variant) }));
  await trx.executeQuery(insertVariants({ storeId, productId, rows: JSON.stringify(rows) }));
}

/** Changes the counter of a status by `by`. */
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

/** Deletes a product with its variants. Returns null if the store has no such product. */
export async function deleteProductRow(trx: Trx, storeId: string, id: string) {
  const row = await trx
    .deleteFrom('product')
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .returning(['number', 'slug', 'status'])
    .executeTakeFirst();
  return row ?? null;
}
