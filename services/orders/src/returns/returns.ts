import {
  ApiError,
  newId,
  type OrderUnits,
  type Refund,
  type Return,
  type ReturnState,
  ReturnUpdated,
  type StoreReply,
} from '@waybill/contracts';
import type { Context, Write } from '../config.ts';
import { listAllFulfillments } from '../dispatch/queries.ts';
import { mergeLines, requireUnits } from '../dispatch/units.ts';
import { errors } from '../errors.ts';
import { createMailedColumns, recordMailedChange } from '../mailed-changes/mailed-changes.ts';
import { recordOrderAudit } from '../orders/orders.ts';
import { type LockedOrder, lockOrder } from '../orders/queries.ts';
import { findRefundById } from '../refunding/queries.ts';
import { listRestockableUnits, returnUnits } from '../refunding/refunding.ts';
import { type RefundRequest, refundOrder } from '../refunds/refunds.ts';
import {
  findOrderLines,
  findReturn,
  insertReturn,
  listCountedReturns,
  type ReturnRow,
  updateReturn,
} from './queries.ts';
import { listReturnableUnits } from './return-periods.ts';
import type { ReturnInput, ReturnPatch, ReturnRefundInput } from './routes.ts';

/** The possible next states of each state: `decisions.md 23.3`. */
const nextStates: Readonly<Record<ReturnState, readonly ReturnState[]>> = {
  requested: ['approved', 'declined'],
  approved: ['received'],
  declined: [],
  received: ['closed'],
  closed: [],
};

/** Converts a return to the shape that the API and events use. */
export const toReturn = (row: ReturnRow): Return => ({
  id: row.id,
  orderId: row.order_id,
  kind: row.kind,
  lines: row.lines,
  state: row.state,
  note: row.note,
  refundId: row.refund_id,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
});

/** The requester of a return. A member's return is approved at once; a shopper must meet the store's period. */
export type ReturnRequester = { by: 'member'; notify: boolean } | { by: 'shopper'; returnDays: number };

/**
 * Creates a return. All returns that were not declined must not exceed the bought units.
 * @throws not_found, invalid_state for a cancelled order, invalid_quantity; for a shopper return_window_closed
 */
export async function createReturn(
  write: Write,
  storeId: string,
  orderId: string,
  { kind = 'return', lines, note = null }: ReturnInput,
  requester: ReturnRequester,
): Promise<Return> {
  const { trx } = write;
  const order = await lockOrder(trx, storeId, orderId);
  if (!order) throw errors.not_found();
  if (order.status === 'cancelled') {
    throw errors.invalid_state({ message: 'A cancelled order cannot be returned.' });
  }
  const requested = mergeLines(lines);
  const left = await computeReturnable(trx, storeId, order);
  if (requester.by === 'shopper') {
    const returnable = await readReturnableUnits(trx, storeId, order, requester.returnDays);
    const isClosed = ({ variantId, quantity }: OrderUnits) =>
      findQuantity(returnable, variantId) < Math.min(quantity, findQuantity(left, variantId));
    if (requested.some(isClosed)) throw errors.return_window_closed();
  }
  requireUnits(order, requested, left);
  const isMember = requester.by === 'member';
  const now = new Date();
  const row = await insertReturn(trx, storeId, {
    id: newId('return'),
    order_id: orderId,
    kind,
    lines: lines.map(({ variantId, quantity, reason = null }) => ({ variantId, quantity, reason })),
    state: isMember ? 'approved' : 'requested',
    note,
    created_at: now,
    ...createMailedColumns(now, isMember ? requester.notify : true),
  });
  return emitReturnUpdated(write, storeId, order, row, 'return.created');
}

const findQuantity = (units: readonly OrderUnits[], variantId: string): number =>
  units.find((each) => each.variantId === variantId)?.quantity ?? 0;

/** Reads the units of each variant that a shopper may return now. */
async function readReturnableUnits(
  db: Context['db'],
  storeId: string,
  { id, lineItems, createdAt }: Pick<LockedOrder, 'id' | 'lineItems' | 'createdAt'>,
  returnDays: number,
): Promise<OrderUnits[]> {
  const fulfillments = await listAllFulfillments(db, storeId, id);
  const returns = await listCountedReturns(db, storeId, id);
  return listReturnableUnits({ createdAt, lineItems, fulfillments, returns }, returnDays);
}

/** Returns the units of each variant that are in no return, apart from declined ones. */
async function computeReturnable(
  db: Context['db'],
  storeId: string,
  { id, lineItems }: Pick<LockedOrder, 'id' | 'lineItems'>,
): Promise<OrderUnits[]> {
  const counted = (await listCountedReturns(db, storeId, id)).flatMap((row) => row.lines);
  return lineItems.map(({ variantId, quantity }) => {
    const returned = counted.filter((line) => line.variantId === variantId);
    return { variantId, quantity: quantity - returned.reduce((sum, line) => sum + line.quantity, 0) };
  });
}

/** The default period, which the previous version of identity does not send. */
const usualReturnDays = 14;

/** Returns for how many days a store accepts returns. */
async function findReturnDays({ peers }: Pick<Context, 'peers'>, storeId: string): Promise<number> {
  const reply = await peers.call<StoreReply>('identity', 'GET', `/internal/stores/${storeId}`);
  if (!reply) throw errors.not_found();
  return reply.checkout.returnDays ?? usualReturnDays;
}

/**
 * Creates a return that a shopper requests.
 * @throws not_found, invalid_state for a cancelled order, invalid_quantity, return_window_closed, resource_unavailable
 */
export async function requestReturn(
  context: Context,
  storeId: string,
  orderId: string,
  input: ReturnInput,
): Promise<Return> {
  const returnDays = await findReturnDays(context, storeId);
  return context.write((write) =>
    createReturn(write, storeId, orderId, input, { by: 'shopper', returnDays }),
  );
}

/** Returns the units that a shopper may request to return now. Returns none while the store's period is unknown. */
export async function findReturnable(
  context: Context,
  storeId: string,
  orderId: string,
): Promise<OrderUnits[]> {
  const { db } = context;
  const order = await findOrderLines(db, storeId, orderId);
  if (!order || order.status === 'cancelled') return [];
  const returnDays = await findReturnDays(context, storeId).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
    return 0;
  });
  const returnable = await readReturnableUnits(db, storeId, order, returnDays);
  return returnable.filter(({ quantity }) => quantity > 0);
}

/**
 * Moves a return to its next state, or changes its note. A change of nothing emits nothing. When it is first received,
 * its units go back on stock.
 * @throws not_found, invalid_state
 */
export async function changeReturn(
  write: Write,
  storeId: string,
  { orderId, id }: { orderId: string; id: string },
  patch: ReturnPatch,
): Promise<Return> {
  const { trx } = write;
  const order = await lockOrder(trx, storeId, orderId);
  const row = order && (await findReturn(trx, storeId, orderId, id));
  if (!row) throw errors.not_found();
  const state = patch.state ?? row.state;
  const note = patch.note === undefined ? row.note : patch.note;
  if (state === row.state && note === row.note) return toReturn(row);
  if (state !== row.state && !nextStates[row.state].includes(state)) {
    throw errors.invalid_state({ message: `A return that is ${row.state} cannot become ${state}.` });
  }
  const mailed = recordMailedChange(row, patch.notify ?? true);
  const moved = await updateReturn(trx, storeId, id, { state, note, ...mailed });
  if (state === 'received' && row.state !== 'received') {
    const lines = row.lines.map((line) => ({ ...line, restock: true }));
    await returnUnits(write, storeId, order, listRestockableUnits(order, lines));
  }
  return emitReturnUpdated(write, storeId, order, moved, 'return.updated');
}

/**
 * Refunds the lines of a return, once.
 * @throws not_found, invalid_state; the errors of `refundOrder`
 */
export async function refundReturn(
  write: Write,
  storeId: string,
  { orderId, id }: { orderId: string; id: string },
  requested: ReturnRefundInput,
  request: RefundRequest,
): Promise<Refund> {
  const { trx } = write;
  const order = await lockOrder(trx, storeId, orderId);
  const row = order && (await findReturn(trx, storeId, orderId, id));
  if (!row) throw errors.not_found();
  if (row.state !== 'approved' && row.state !== 'received') {
    throw errors.invalid_state({ message: `A return that is ${row.state} is not refunded.` });
  }
  // A failed refund, which moved no money, does not count.
  const before = row.refund_id ? await findRefundById(trx, storeId, row.refund_id) : undefined;
  if (before && before.state !== 'failed') {
    throw errors.invalid_state({ message: 'This return was refunded.' });
  }
  const lines = row.lines.map(({ variantId, quantity }) => ({ variantId, quantity }));
  const refund = await refundOrder(write, storeId, orderId, { ...requested, lines }, request);
  // The refund has a mail of its own.
  const unmailed = recordMailedChange(row, false);
  const refunded = await updateReturn(trx, storeId, id, { refund_id: refund.id, ...unmailed });
  await emitReturnUpdated(write, storeId, order, refunded, 'return.updated');
  return refund;
}

async function emitReturnUpdated(
  write: Write,
  storeId: string,
  order: LockedOrder,
  row: ReturnRow,
  action: 'return.created' | 'return.updated',
): Promise<Return> {
  const orderReturn = toReturn(row);
  await write.emit(ReturnUpdated, storeId, { return: orderReturn });
  await recordOrderAudit(write, storeId, action, row.id, order);
  return orderReturn;
}
