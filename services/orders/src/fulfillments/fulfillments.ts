import type { Fulfillment } from '@waybill/contracts';
import type { Context, Write } from '../config.ts';
import {
  addFulfillment,
  addSentUnits,
  beginFulfillments,
  deriveFulfillmentState,
  isMissingFulfillments,
  readTrackingUrl,
  toFulfillment,
  updateFulfillmentStatus,
} from '../dispatch/dispatch.ts';
import { findFulfillment, findOrderUnits, listWithoutFulfillments } from '../dispatch/queries.ts';
import { listUnitsWithout, mergeLines, requireUnits } from '../dispatch/units.ts';
import { errors } from '../errors.ts';
import { recordOrderAudit, updateLockedOrder } from '../orders/orders.ts';
import { lockOrder } from '../orders/queries.ts';
import type { FulfillmentInput, FulfillmentPatch } from './routes.ts';

/**
 * Sends an order or a part of it: `decisions.md 23.1`.
 * @throws not_found, invalid_state, invalid_quantity, invalid_body
 */
export async function createFulfillment(
  write: Write,
  storeId: string,
  orderId: string,
  { lines, ...tracking }: FulfillmentInput,
): Promise<Fulfillment> {
  const order = await lockOrder(write.trx, storeId, orderId);
  if (!order) throw errors.not_found();
  if (order.status === 'cancelled') {
    throw errors.invalid_state({ message: 'A cancelled order cannot be sent.' });
  }
  await beginFulfillments(write, storeId, order);
  const left = listUnitsWithout(order, 'fulfilled');
  const sent = lines ? mergeLines(lines) : left;
  requireUnits(order, sent, left);
  if (sent.length === 0)
    throw errors.invalid_quantity({ message: 'All units of this order have been sent.' });
  const fulfillment = await addFulfillment(write, storeId, order, sent, tracking);
  await updateLockedOrder(write, storeId, order, { fulfillment: deriveFulfillmentState(order) });
  await recordOrderAudit(write, storeId, 'fulfillment.created', fulfillment.id, order);
  return fulfillment;
}

/**
 * Changes the tracking or the status of a fulfilment. A change of nothing emits nothing.
 * @throws not_found, invalid_state for a cancelled fulfilment, invalid_body
 */
export async function changeFulfillment(
  write: Write,
  storeId: string,
  { orderId, id }: { orderId: string; id: string },
  patch: FulfillmentPatch,
): Promise<Fulfillment> {
  const { trx } = write;
  const order = await lockOrder(trx, storeId, orderId);
  const row = order && (await findFulfillment(trx, storeId, orderId, id));
  if (!row) throw errors.not_found();
  const next = {
    carrier: patch.carrier === undefined ? row.carrier : patch.carrier,
    tracking_number: patch.trackingNumber === undefined ? row.tracking_number : patch.trackingNumber,
    tracking_url: patch.trackingUrl === undefined ? row.tracking_url : readTrackingUrl(patch.trackingUrl),
    status: patch.status ?? row.status,
  };
  const changed = (Object.keys(next) as (keyof typeof next)[]).filter((key) => next[key] !== row[key]);
  if (changed.length === 0) return toFulfillment(row);
  if (row.status === 'cancelled') {
    throw errors.invalid_state({ message: 'This fulfilment was cancelled, which is final.' });
  }
  const isCancelled = next.status === 'cancelled';
  if (isCancelled) await beginFulfillments(write, storeId, order);
  const fulfillment = await updateFulfillmentStatus(write, storeId, row, next, patch.notify);
  if (isCancelled) {
    await addSentUnits(trx, storeId, order, row.lines, -1);
    await updateLockedOrder(write, storeId, order, { fulfillment: deriveFulfillmentState(order) });
  }
  await recordOrderAudit(write, storeId, 'fulfillment.updated', fulfillment.id, order);
  return fulfillment;
}

/**
 * Creates the missing fulfilments of an order, so that they can be read.
 * @throws not_found
 */
export async function ensureFulfillments(context: Context, storeId: string, orderId: string): Promise<void> {
  const found = await findOrderUnits(context.db, storeId, orderId);
  if (!found) throw errors.not_found();
  if (!isMissingFulfillments(found)) return;
  await context.write(async (write) => {
    const order = await lockOrder(write.trx, storeId, orderId);
    if (order) await beginFulfillments(write, storeId, order);
  });
}

const atOnce = 200;

/**
 * The task that creates fulfilments for all orders that were sent before fulfilments existed. It returns true if there
 * may be more.
 */
export function fulfillmentTask(context: Context): () => Promise<boolean> {
  let after: { storeId: string; orderId: string } | null = null;
  return async () => {
    const orders = await listWithoutFulfillments(context.db, after, atOnce);
    for (const { storeId, orderId } of orders) {
      // Does nothing if the order was deleted in the meantime.
      await ensureFulfillments(context, storeId, orderId);
    }
    after = orders.at(-1) ?? null;
    return orders.length === atOnce;
  };
}
