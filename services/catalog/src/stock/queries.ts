import { type Columns, prepare } from '@waybill/kernel';
import type { Transaction } from 'kysely';
import { productEnvelope } from '../products/queries.ts';
import type { Tables } from '../tables.ts';

type Trx = Transaction<Tables>;

/** A variant and what of its product an order keeps. */
export type VariantForSale = Columns<
  Tables['variant'],
  { id: 'id'; sku: 'sku'; variantName: 'name'; priceCents: 'price_cents'; stock: 'stock' }
> &
  Columns<Tables['product'], { productId: 'id'; status: 'status'; name: 'name' }>;

/** By how much the stock of a variant changes. */
export interface StockMove {
  variantId: string;
  by: number;
}

const lockProducts = prepare(
  'stock-lock-products',
  `select id from product
   where store_id = $1 and id in (select product_id from variant where store_id = $1 and id = any($2::text[]))
   order by id for update`,
);

/** Locks the products that these variants belong to until the transaction ends, in the order of their ids. */
export async function lockProductsOf(
  trx: Trx,
  storeId: string,
  variantIds: readonly string[],
): Promise<void> {
  await trx.executeQuery(lockProducts([storeId, variantIds]));
}

const variantsForSale = prepare<VariantForSale>(
  'stock-variants',
  `select v.id, p.id as "productId", p.status, v.sku, p.name, v.name as "variantName",
     v.price_cents as "priceCents", v.stock
   from variant v join product p on p.store_id = v.store_id and p.id = v.product_id
   where v.store_id = $1 and v.id = any($2::text[])`,
);

export async function listVariants(
  trx: Trx,
  storeId: string,
  variantIds: readonly string[],
): Promise<VariantForSale[]> {
  const { rows } = await trx.executeQuery(variantsForSale([storeId, variantIds]));
  return rows;
}

const move = prepare<Pick<Tables['product'], 'id'>>(
  'stock-move',
  `with moved as (
     update variant v set stock = v.stock + move.by
     from unnest($2::text[], $3::bigint[]) as move (id, by)
     where v.store_id = $1 and v.id = move.id
     returning v.product_id, move.by
   )
   update product p set total_stock = p.total_stock + total.by, updated_at = greatest($4, updated_at + interval '1 millisecond')
   from (select product_id, sum(by) as by from moved group by product_id) total
   where p.store_id = $1 and p.id = total.product_id
   returning p.id`,
);

const envelopes = prepare<{ json: string }>(
  'stock-envelopes',
  `select ${productEnvelope} as json
   from product p where p.store_id = $1 and p.id = any($2::text[]) order by p.id`,
);

/**
 * Moves the stock of variants, each named once, and the total of their products; those that are not there (any more)
 * are passed over. Gives the `{ product }` envelope of each product that changed, as JSON.
 */
export async function moveStock(
  trx: Trx,
  storeId: string,
  moves: readonly StockMove[],
  now: Date,
): Promise<string[]> {
  const variantIds = moves.map(({ variantId }) => variantId);
  const differences = moves.map(({ by }) => by);
  const moved = await trx.executeQuery(move([storeId, variantIds, differences, now]));
  const productIds = moved.rows.map(({ id }) => id);
  if (productIds.length === 0) return [];
  const { rows } = await trx.executeQuery(envelopes([storeId, productIds]));
  return rows.map(({ json }) => json);
}
