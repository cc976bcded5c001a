import type { LineFacts } from '@waybill/contracts';
import {
  addInterval,
  type Columns,
  type Emission,
  insertEmissions,
  type Placeholders,
  prepare,
  withinStore,
} from '@waybill/kernel';
import type { Transaction } from 'kysely';
import { variantTitle } from '../products/deleted-variant-queries.ts';
import { productEnvelope } from '../products/json.ts';
import type { Tables } from '../tables.ts';
import { lineFactsJson } from './line-facts.ts';

type Trx = Transaction<Tables>;

/** A variant with the properties of its product that an order stores. */
export type VariantForSale = Columns<
  Tables['variant'],
  { id: 'id'; sku: 'sku'; variantName: 'name'; priceCents: 'price_cents'; stock: 'stock' }
> &
  Columns<Tables['product'], { productId: 'id'; status: 'status'; name: 'name' }> & { facts: LineFacts };

/**
 * Returns SQL that locks variants and their products until the transaction ends, always in the same order. After a wait
 * it returns their latest state, but misses variants that were replaced in the meantime, because these are new rows.
 */
export const lockingVariants = (storeId: string, variantIds: string): string =>
  `select v.id, p.id as "productId", p.status, v.sku, p.name, ${variantTitle} as "variantName",
     v.price_cents as "priceCents", v.stock, ${withinStore(storeId, lineFactsJson)}::json as facts
   from variant v join product p on p.store_id = v.store_id and p.id = v.product_id
   where v.store_id = ${storeId} and p.store_id = ${storeId} and v.id = any(${variantIds}::text[])
   order by p.id, v.id for update of p, v`;

const lock = prepare<VariantForSale>('stock-lock', lockingVariants('$1', '$2'));

/**
 * Locks variants and their products until the transaction ends. Omits variants that do not exist. Every change of stock
 * takes these locks before it reads the stock. `found` holds variants that the caller has just locked.
 */
export async function lockVariants(
  trx: Trx,
  storeId: string,
  variantIds: readonly string[],
  found?: readonly VariantForSale[],
): Promise<ReadonlyMap<string, VariantForSale>> {
  const read = async () => (await trx.executeQuery(lock([storeId, variantIds]))).rows;
  let variants = found ?? (await read());
  // A variant that was replaced during the wait is missing. Its product is locked now, so a second read finds the new
  // row.
  if (variants.length < new Set(variantIds).size) variants = await read();
  return new Map(variants.map((variant) => [variant.id, variant]));
}

/** Parameters of a statement that moves stock. */
export interface StockMoveParameters {
  storeId: string;
  variantIds: string[];
  /** The change of stock of each variant. */
  changes: number[];
  /** JSON: an `Emission` with `product_id` for each product that emits an event. */
  events: string;
  now: Date;
}

/**
 * Returns the parts of a statement that move the stock of variants, update the totals of their products and write the
 * events. Skips variants that no longer exist. `emitted` has the `{ product }` envelope of each changed product as
 * `json`. If `condition` is false, nothing changes.
 */
export const stockMoveSql = ($: Placeholders<StockMoveParameters>, condition = 'true'): string => `
  moved as (
    update variant v set stock = v.stock + move.by
    from unnest(${$.variantIds}::text[], ${$.changes}::bigint[]) as move (id, by)
    where v.store_id = ${$.storeId} and v.id = move.id and ${condition}
    returning v.id, v.product_id, v.stock, move.by
  ), p as (
    update product p set total_stock = p.total_stock + total.by,
      updated_at = greatest(${$.now}, ${addInterval('p.updated_at', '1 millisecond')})
    from (select product_id, sum(by) as by from moved group by product_id) total
    where p.store_id = ${$.storeId} and p.id = total.product_id
    returning p.*
  ), emitted as (
    select p.store_id, p.id, e.*, row_number() over (order by p.id) as ordinal,
      ${withinStore($.storeId, productEnvelope('coalesce((select moved.stock from moved where moved.id = v.id), v.stock)'))} as json
    from p left join json_to_recordset(${$.events}) as e (
      product_id text, event_id text, event_name text, event_trace text
    ) on e.product_id = p.id
  ), event as (${insertEmissions('(select * from emitted where event_id is not null) emitted')})`;

/** Builds the parameters of `stockMoveSql`: the changes by variant, and the event of each product that emits one. */
export const stockMoveParameters = (
  storeId: string,
  moves: ReadonlyMap<string, number>,
  events: ReadonlyMap<string, Emission>,
): StockMoveParameters => ({
  storeId,
  variantIds: [...moves.keys()],
  changes: [...moves.values()],
  events: JSON.stringify([...events].map(([id, event]) => ({ product_id: id, ...event }))),
  now: new Date(),
});

const move = prepare<{ json: string }, StockMoveParameters>(
  'stock-move',
  ($) => `with ${stockMoveSql($)} select json from emitted order by ordinal`,
);

/** Moves the stock of locked variants. Returns the `{ product }` envelope of each changed product as JSON. */
export async function moveStock(trx: Trx, values: StockMoveParameters): Promise<string[]> {
  const { rows } = await trx.executeQuery(move(values));
  return rows.map(({ json }) => json);
}
