import { type Order, OrderCancelled, OrderUpdated } from '@waybill/contracts';
import { emit } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { countForCustomer } from '../customers/queries.ts';
import { errors } from '../errors.ts';
import { countOrder, findOrderEnvelope, lockOrder, updateOrderStates } from './queries.ts';
import type { OrderChange } from './routes.ts';

/** The three fields of an order that change. */
export type OrderStates = Pick<Order, 'status' | 'payment' | 'fulfillment'>;

/**
 * Whether an order may go from some states to others, `decisions.md 3.1`: cancelled is final, and money that was
 * taken is not only promised again.
 */
export function mayMove(from: OrderStates, to: OrderStates): boolean {
  if (from.status === 'cancelled' && to.status !== 'cancelled') return false;
  const wasTaken = ['paid', 'partially_refunded', 'refunded'].includes(from.payment);
  return !(wasTaken && ['pending', 'authorized'].includes(to.payment));
}

/** What an order adds to its customer's figures, `decisions.md 3.4`. */
export function figuresOf({ status, payment }: OrderStates, totalCents: number) {
  const counts = status !== 'cancelled';
  const isPaid = payment === 'paid' || payment === 'partially_refunded';
  return { orders: counts ? 1 : 0, spentCents: counts && isPaid ? totalCents : 0 };
}

/**
 * Changes an order's states and emits `order.updated`; a change that changes nothing emits nothing. A cancelled
 * order's stock goes back, by an event of the same transaction. Gives the `{ order }` envelope as JSON.
 * @throws not_found, invalid_status
 */
export function changeOrder(
  transaction: Context['transaction'],
  storeId: string,
  id: string,
  { status, payment, fulfillment }: OrderChange,
): Promise<string> {
  return transaction(async (trx) => {
    const order = await lockOrder(trx, storeId, id);
    if (!order) throw errors.not_found();
    const { customerId, totalCents, lineItems, ...current } = order;
    const next: OrderStates = {
      status: status ?? current.status,
      payment: payment ?? current.payment,
      fulfillment: fulfillment ?? current.fulfillment,
    };
    if (!mayMove(current, next)) throw errors.invalid_status();
    const isSame =
      next.status === current.status &&
      next.payment === current.payment &&
      next.fulfillment === current.fulfillment;
    if (isSame) return (await findOrderEnvelope(trx, storeId, id))!;

    await updateOrderStates(trx, storeId, id, next, new Date());
    const [before, after] = [figuresOf(current, totalCents), figuresOf(next, totalCents)];
    await countForCustomer(trx, storeId, customerId, {
      orders: after.orders - before.orders,
      spentCents: after.spentCents - before.spentCents,
    });
    await countOrder(trx, storeId, current, next);
    const json = await findOrderEnvelope(trx, storeId, id);
    await emit(trx, OrderUpdated, storeId, { json: json! });
    if (next.status === 'cancelled' && current.status !== 'cancelled') {
      const items = lineItems.map(({ variantId, quantity }) => ({ variantId, quantity }));
      await emit(trx, OrderCancelled, storeId, { orderId: id, items });
    }
    return json!;
  });
}
