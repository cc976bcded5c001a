import { ProductUpdated } from '@waybill/contracts';
import { createEmission, currentTrace } from '@waybill/kernel';
import type { Transaction } from 'kysely';
import type { Write } from '../config.ts';
import { errors } from '../errors.ts';
import { findProductEnvelope } from '../products/queries.ts';
import { maxStock } from '../products/routes.ts';
import type { Tables } from '../tables.ts';
import {
  lockVariants,
  moveStock,
  type StockMoveParameters,
  stockMoveParameters,
  type VariantForSale,
} from './queries.ts';
import type { StockAdjustment } from './routes.ts';

type Trx = Transaction<Tables>;

/**
 * Adds `delta` pieces to a variant's stock, or removes them, and emits `product.updated` with the change and its
 * reason. A delta of 0 changes nothing. Returns the `{ product }` envelope as JSON.
 * @throws not_found; out_of_stock for removing more than is left; invalid_body for a stock above the maximum
 */
export async function adjustStock(
  { trx, emit }: Write,
  storeId: string,
  productId: string,
  variantId: string,
  { delta, reason }: StockAdjustment,
): Promise<string> {
  const variant = (await lockVariants(trx, storeId, [variantId])).get(variantId);
  if (variant?.productId !== productId) throw errors.not_found();
  if (delta === 0) return (await findProductEnvelope(trx, storeId, productId))!;
  const stock = variant.stock + delta;
  if (stock < 0) {
    const available = variant.stock > 0;
    const message = available ? 'takes more than is left' : 'takes from what is sold out';
    throw errors.out_of_stock({
      details: [{ pointer: '/delta', message }],
      fields: { variants: [{ variantId, available }] },
    });
  }
  if (delta > 0 && stock > maxStock) {
    const message = `makes the stock larger than ${maxStock}`;
    throw errors.invalid_body({ details: [{ pointer: '/delta', message }] });
  }
  const moves = new Map([[variantId, delta]]);
  // No event here: the event below also carries the stock change, and needs the JSON that this call returns.
  const [json] = await moveStock(trx, stockMoveParameters(storeId, moves, new Map()));
  const { product } = JSON.parse(json!);
  const stockChange = { variantId, delta, reason: reason ?? null };
  await emit(ProductUpdated, storeId, { product, stockChange });
  return json!;
}

/** Builds the parameters to move the stock of variants and to emit `product.updated` for each of their products. */
export function stockMovesWithEvents(
  trx: Trx,
  storeId: string,
  moves: ReadonlyMap<string, number>,
  variants: ReadonlyMap<string, VariantForSale>,
): StockMoveParameters {
  const productIds = new Set([...moves.keys()].flatMap((id) => variants.get(id)?.productId ?? []));
  const trace = currentTrace();
  const events = new Map([...productIds].map((id) => [id, createEmission(trx, ProductUpdated, trace)]));
  return stockMoveParameters(storeId, moves, events);
}
