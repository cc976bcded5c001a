import {
  createTrackingUrl,
  type Fulfillment,
  FulfillmentCreated,
  FulfillmentUpdated,
  newId,
  type Order,
  type OrderUnits,
  parseWebAddress,
} from '@waybill/contracts';
import type { Transaction } from 'kysely';
import type { Write } from '../config.ts';
import { errors } from '../errors.ts';
import { createMailedColumns, recordMailedChange } from '../mailed-changes/mailed-changes.ts';
import type { Tables } from '../tables.ts';
import {
  type FulfillmentRow,
  hasMaxFulfillments,
  insertFulfillment,
  listAllFulfillments,
  updateFulfillment,
  updateUnits,
} from './queries.ts';
import { addUnits, listUnitsWithout, type OrderWithUnits } from './units.ts';

type Trx = Transaction<Tables>;

/** The fields of a locked order that its fulfilments need. */
export interface SentOrder extends OrderWithUnits {
  id: string;
  fulfillment: Order['fulfillment'];
  updatedAt: Date;
}

/** How a parcel is sent, and whether the customer is told. */
interface Tracking {
  carrier?: string | null;
  trackingNumber?: string | null;
  trackingUrl?: string | null;
  notify?: boolean;
}

/** Converts a fulfilment to the shape that the API and events use. */
export const toFulfillment = (row: FulfillmentRow): Fulfillment => ({
  id: row.id,
  orderId: row.order_id,
  lines: row.lines,
  carrier: row.carrier,
  trackingNumber: row.tracking_number,
  trackingUrl: row.tracking_url ?? createTrackingUrl(row.carrier, row.tracking_number),
  status: row.status as Fulfillment['status'],
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
});

/**
 * Brings a locked order into a state that a client has set: `fulfilled` sends the remaining units, `unfulfilled`
 * cancels all fulfilments. The other two states are only stored, until the sent units change. The customer of a cancelled
 * order is mailed about no shipment.
 */
export async function setFulfillmentState(
  write: Write,
  storeId: string,
  order: SentOrder,
  { status, fulfillment: state }: Pick<Order, 'status' | 'fulfillment'>,
): Promise<void> {
  await beginFulfillments(write, storeId, order);
  if (state === 'fulfilled') {
    const remainingUnits = listUnitsWithout(order, 'fulfilled');
    const notify = status !== 'cancelled';
    if (remainingUnits.length > 0) await addFulfillment(write, storeId, order, remainingUnits, { notify });
  }
  if (state === 'unfulfilled') await cancelAll(write, storeId, order);
}

/**
 * Creates the missing fulfilments of a locked order, which was sent before fulfilments existed or was changed by an
 * older copy of this service. Emits nothing, since nothing happens now.
 */
export async function beginFulfillments(write: Write, storeId: string, order: SentOrder): Promise<void> {
  if (!isMissingFulfillments(order)) return;
  if (order.fulfillment === 'unfulfilled') return cancelAll(write, storeId, order, false);
  const lines = listUnitsWithout(order, 'fulfilled');
  const at = order.updatedAt;
  await insertFulfillment(write.trx, storeId, {
    id: newId('fulfillment', at.getTime()),
    order_id: order.id,
    lines,
    status: 'shipped',
    created_at: at,
    ...createMailedColumns(at, false),
  });
  await addSentUnits(write.trx, storeId, order, lines, 1);
}

/** Whether the state of an order does not match its fulfilments. */
export const isMissingFulfillments = (
  order: Pick<SentOrder, 'fulfillment' | 'lineItems' | 'units'>,
): boolean =>
  (order.fulfillment === 'fulfilled' && listUnitsWithout(order, 'fulfilled').length > 0) ||
  (order.fulfillment === 'unfulfilled' &&
    Object.values(order.units).some(({ fulfilled = 0 }) => fulfilled > 0));

/** Returns the state of an order that follows from its sent units. */
export function deriveFulfillmentState(order: SentOrder): Order['fulfillment'] {
  if (listUnitsWithout(order, 'fulfilled').length === 0) return 'fulfilled';
  const isAnySent = Object.values(order.units).some(({ fulfilled = 0 }) => fulfilled > 0);
  return isAnySent ? 'partially_fulfilled' : 'unfulfilled';
}

/**
 * Adds a fulfilment of these lines to a locked order, and emits `fulfillment.created`.
 * @throws too_many_fulfillments, invalid_body for an invalid tracking URL
 */
export async function addFulfillment(
  { trx, emit }: Write,
  storeId: string,
  order: SentOrder,
  lines: OrderUnits[],
  { carrier, trackingNumber, trackingUrl, notify }: Tracking,
): Promise<Fulfillment> {
  if (await hasMaxFulfillments(trx, storeId, order.id)) throw errors.too_many_fulfillments();
  const now = new Date();
  const row = await insertFulfillment(trx, storeId, {
    id: newId('fulfillment'),
    order_id: order.id,
    lines,
    carrier: carrier ?? null,
    tracking_number: trackingNumber ?? null,
    tracking_url: readTrackingUrl(trackingUrl ?? null),
    status: 'shipped',
    created_at: now,
    ...createMailedColumns(now, notify ?? true),
  });
  await addSentUnits(trx, storeId, order, lines, 1);
  const fulfillment = toFulfillment(row);
  await emit(FulfillmentCreated, storeId, { fulfillment });
  return fulfillment;
}

/**
 * Changes a fulfilment and emits `fulfillment.updated`. `notifies` tells whether a delivery is mailed to the customer.
 */
export async function updateFulfillmentStatus(
  { trx, emit }: Write,
  storeId: string,
  row: FulfillmentRow,
  next: Partial<FulfillmentRow>,
  notifies = true,
): Promise<Fulfillment> {
  const isDelivered = next.status === 'delivered' && row.status !== 'delivered';
  const moved = await updateFulfillment(trx, storeId, row.id, {
    ...next,
    // There is no mail about new tracking or a cancellation.
    ...recordMailedChange(row, isDelivered && notifies),
    ...(isDelivered && { delivered_at: new Date() }),
    ...(next.status === 'shipped' && { delivered_at: null }),
  });
  const fulfillment = toFulfillment(moved);
  await emit(FulfillmentUpdated, storeId, { fulfillment });
  return fulfillment;
}

async function cancelAll(write: Write, storeId: string, order: SentOrder, emitsEvents = true): Promise<void> {
  const { trx } = write;
  for (const row of await listAllFulfillments(trx, storeId, order.id)) {
    if (row.status === 'cancelled') continue;
    if (emitsEvents) await updateFulfillmentStatus(write, storeId, row, { status: 'cancelled' });
    else await updateFulfillment(trx, storeId, row.id, { status: 'cancelled' });
    await addSentUnits(trx, storeId, order, row.lines, -1);
  }
}

/** Adds units of a locked order to those that were sent, or subtracts them. */
export async function addSentUnits(
  trx: Trx,
  storeId: string,
  order: SentOrder,
  lines: readonly OrderUnits[],
  sign: 1 | -1,
): Promise<void> {
  order.units = addUnits(order.units, 'fulfilled', lines, sign);
  await updateUnits(trx, storeId, order.id, order.units);
}

/** Checks a tracking URL, because customers follow it. @throws invalid_body */
export function readTrackingUrl(text: string | null): string | null {
  if (text === null) return null;
  const url = parseWebAddress(text);
  if (!url) {
    const message = 'must be an http or https URL without credentials';
    throw errors.invalid_body({ details: [{ pointer: '/trackingUrl', message }] });
  }
  return url.href;
}
