import { ProductUpdated } from '@waybill/contracts';
import { emit, emitAll, type ServiceContext } from '@waybill/kernel';
import type { Transaction } from 'kysely';
import { errors } from '../errors.ts';
import { findProductEnvelope } from '../products/queries.ts';
import { maxStock } from '../products/routes.ts';
import type { Tables } from '../tables.ts';
import { listVariants, lockProductsOf, moveStock, type StockMove } from './queries.ts';
import type { StockAdjustment } from './routes.ts';

type RunTransaction = ServiceContext<object, Tables>['transaction'];
type Trx = Transaction<Tables>;

/**
 * Adds `delta` pieces to a variant's stock, or takes them from it, and emits `product.updated` with what was changed
 * and why; a difference of 0 changes nothing. Gives the `{ product }` envelope as JSON.
 * @throws not_found; out_of_stock when less is left than is taken; invalid_body when there would be too many to count
 */
export function adjustStock(
  transaction: RunTransaction,
  storeId: string,
  productId: string,
  variantId: string,
  { delta, reason }: StockAdjustment,
): Promise<string> {
  return transaction(async (trx) => {
    // All who change a stock have its product's lock before they look at it.
    await lockProductsOf(trx, storeId, [variantId]);
    const [variant] = await listVariants(trx, storeId, [variantId]);
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
    const [json] = await moveStock(trx, storeId, [{ variantId, by: delta }], new Date());
    const { product } = JSON.parse(json!);
    const stockChange = { variantId, delta, reason: reason ?? null };
    await emit(trx, ProductUpdated, storeId, { product, stockChange });
    return json!;
  });
}

/** Moves the stock of variants whose products are locked, and emits `product.updated` for each product. */
export async function changeStock(trx: Trx, storeId: string, moves: readonly StockMove[]): Promise<void> {
  const changed = await moveStock(trx, storeId, moves, new Date());
  const told = changed.map((json) => ({ storeId, data: { json } }));
  await emitAll(trx, ProductUpdated, told);
}
