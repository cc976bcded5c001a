import { CustomerCreated, newId, OrderCreated } from '@waybill/contracts';
import { createEmission } from '@waybill/kernel';
import type { Transaction } from 'kysely';
import { type DiscountUse, recordUses, reserveUses } from '../discounts/uses.ts';
import { insertChosen } from '../payments/chosen.ts';
import type { ChosenPayment } from '../payments/chosen-payment-queries.ts';
import type { Tables } from '../tables.ts';
import { insertOrders, type NewOrder } from './queries.ts';

/** An order whose stock is reserved, ready to be written with its customer. */
export interface ReservedOrder extends Omit<NewOrder, 'customerId' | 'event' | 'customerEvent'> {
  uses: readonly DiscountUse[];
  payment: ChosenPayment | null;
  /** Trace of the request that places the order. */
  trace: string | undefined;
}

/**
 * The `{ order }` envelope as JSON, or the reason why nothing was written: a discount is used up, or the checkout no
 * longer exists.
 */
export type WrittenOrder = { json: string } | { problem: 'usedUp' | 'abandoned' };

/**
 * Writes orders, records their uses of limited discounts, and marks their checkouts as placed, all in one transaction.
 * Returns the result of each order, in the order of `reserved`.
 */
export async function writeOrders(
  trx: Transaction<Tables>,
  storeId: string,
  reserved: readonly ReservedOrder[],
): Promise<WrittenOrder[]> {
  const now = new Date();
  const requestedUses = reserved.map(({ id, customer, uses }) => ({
    orderId: id,
    email: customer.email,
    uses,
  }));
  const admitted = await reserveUses(trx, storeId, requestedUses);
  const orders = reserved
    .filter(({ id }) => admitted.has(id))
    .map(({ trace, uses: _, payment: __, ...order }) => ({
      ...order,
      customerId: newId('customer'),
      event: createEmission(trx, OrderCreated, trace),
      customerEvent: createEmission(trx, CustomerCreated, trace),
    }));
  const written =
    orders.length > 0 ? await insertOrders(trx, storeId, orders, now) : new Map<string, string>();
  await recordUses(
    trx,
    storeId,
    requestedUses.filter(({ orderId }) => written.has(orderId)),
    now,
  );
  await insertChosen(
    trx,
    storeId,
    reserved.filter(({ id }) => written.has(id)),
    now,
  );
  return reserved.map(({ id }): WrittenOrder => {
    const json = written.get(id);
    if (json) return { json };
    return { problem: admitted.has(id) ? 'abandoned' : 'usedUp' };
  });
}
