import { type AuditAction, OrderCancelled, OrderUpdated, parseWebAddress } from '@waybill/contracts';
import { applyChange, type ValuesChange } from '@waybill/custom-fields';
import { isLoopback } from '@waybill/kernel';
import type { Write } from '../config.ts';
import { countForCustomer } from '../customers/queries.ts';
import { returnUses } from '../discounts/uses.ts';
import { setFulfillmentState } from '../dispatch/dispatch.ts';
import { listUnitsWithout } from '../dispatch/units.ts';
import { errors } from '../errors.ts';
import { endOpenPayments } from '../ledger/ending.ts';

import { Ledger } from '../ledger/entries.ts';
import { listOrderPayments } from '../ledger/queries.ts';
import { createMissingRefund, type RefundTerms, refundManual } from '../refunding/refunding.ts';
import {
  countOrder,
  findOrderEnvelope,
  type LockedOrder,
  lockOrder,
  lockOrderFields,
  type OrderFields,
  type OrderStates,
  type OrderSums,
  updateOrder,
  updateOrderFields,
} from './queries.ts';
import type { OrderChange } from './routes.ts';

/**
 * Whether an order may change from some states to others, `decisions.md 3.1`: cancelled is final, and captured money
 * cannot become pending again.
 */
function canChangeStates(from: OrderStates, to: OrderStates): boolean {
  if (from.status === 'cancelled' && to.status !== 'cancelled') return false;
  const wasTaken = ['paid', 'partially_refunded', 'refunded'].includes(from.payment);
  return !(wasTaken && ['pending', 'authorized'].includes(to.payment));
}

/** Returns an order's contribution to its customer's totals: `decisions.md 3.4, 23.4`. */
function computeFigures({ status }: Pick<OrderStates, 'status'>, { paidCents, refundedCents }: OrderSums) {
  return { orders: status === 'cancelled' ? 0 : 1, spentCents: paidCents - refundedCents };
}

const toSums = ({ paidCents, refundedCents }: LockedOrder): OrderSums => ({
  paidCents: paidCents ?? 0,
  refundedCents: refundedCents ?? 0,
});

/** Returns the amount that an order older than the ledger has contributed to its customer's total. */
function computeSpentBeforeLedger({ status, payment, totalCents }: LockedOrder): number {
  const isPaid = payment === 'paid' || payment === 'partially_refunded';
  return status !== 'cancelled' && isPaid ? totalCents : 0;
}

/**
 * Opens the ledger of a locked order. For an order older than the ledger, adjusts the customer's total to the new
 * entries.
 */
export async function openLedger(write: Write, storeId: string, order: LockedOrder): Promise<Ledger> {
  const ledger = await Ledger.open(write, storeId, order);
  if (order.paidCents === null) {
    const { paidCents, refundedCents } = ledger.money;
    const spentCents = paidCents - refundedCents - computeSpentBeforeLedger(order);
    await countForCustomer(write.trx, storeId, order.customerId, { orders: 0, spentCents });
    Object.assign(order, { paidCents, refundedCents });
    await createMissingRefund(write, storeId, order, ledger);
  }
  return ledger;
}

/**
 * Changes the states of an order. A change of nothing emits nothing. Returns the `{ order }` envelope as JSON.
 * @throws not_found, invalid_status; the errors of `assertAllowed`, which is called with the refunded amount
 */
export function changeOrder(
  write: Write,
  storeId: string,
  id: string,
  { status, payment, fulfillment }: OrderChange,
  assertAllowed: RefundTerms['assertAllowed'],
): Promise<string> {
  const computeNext = (order: LockedOrder) => {
    const next: OrderFields = {
      status: status ?? order.status,
      payment: payment ?? order.payment,
      fulfillment: fulfillment ?? order.fulfillment,
      paymentUrl: order.paymentUrl,
    };
    if (!canChangeStates(order, next)) throw errors.invalid_status();
    return next;
  };
  return changeStates(write, storeId, id, computeNext, assertAllowed);
}

/**
 * Sets or removes (null) the link at which an order is paid; `decisions.md 19.14`. Setting the same link again emits
 * nothing. Returns the `{ order }` envelope as JSON.
 * @throws not_found, invalid_body
 */
export function setPaymentLink(
  write: Write,
  storeId: string,
  id: string,
  url: string | null,
): Promise<string> {
  const paymentUrl = readPaymentUrl(url);
  return changeStates(write, storeId, id, ({ status, payment, fulfillment }) => {
    return { status, payment, fulfillment, paymentUrl };
  });
}

/**
 * Sets values of an order's custom fields, and emits `order.updated` if anything changed. Returns the `{ order }`
 * envelope as JSON.
 * @throws not_found, invalid_custom_field
 */
export async function setCustomFields(
  { trx, emit }: Write,
  storeId: string,
  id: string,
  change: ValuesChange,
): Promise<string> {
  const order = await lockOrderFields(trx, storeId, id);
  if (!order) throw errors.not_found();
  const next = applyChange(order.customFields, change);
  const isChanged = JSON.stringify(next) !== JSON.stringify(order.customFields);
  if (isChanged) await updateOrderFields(trx, storeId, id, next, new Date());
  const json = (await findOrderEnvelope(trx, storeId, id))!;
  if (isChanged) await emit(OrderUpdated, storeId, { json });
  return json;
}

async function changeStates(
  write: Write,
  storeId: string,
  id: string,
  computeNext: (order: LockedOrder) => OrderFields,
  assertAllowed?: RefundTerms['assertAllowed'],
): Promise<string> {
  const order = await lockOrder(write.trx, storeId, id);
  if (!order) throw errors.not_found();
  const next = computeNext(order);
  const isSame =
    next.status === order.status &&
    next.payment === order.payment &&
    next.fulfillment === order.fulfillment &&
    next.paymentUrl === order.paymentUrl;
  if (isSame) return (await findOrderEnvelope(write.trx, storeId, id))!;
  if (next.fulfillment !== order.fulfillment) {
    await setFulfillmentState(write, storeId, order, next);
  }
  return changeLockedOrder(
    write,
    storeId,
    order,
    next,
    await applyPaymentState(write, storeId, order, next.payment, assertAllowed),
  );
}

/** Changes the states of a locked order and emits `order.updated`, even if only the uses of its units have changed. */
export function updateLockedOrder(
  write: Write,
  storeId: string,
  order: LockedOrder,
  changes: Partial<OrderStates>,
): Promise<string> {
  const { status, payment, fulfillment, paymentUrl } = order;
  const next = { status, payment, fulfillment, paymentUrl, ...changes };
  return applyPaymentState(write, storeId, order, payment).then((sums) =>
    changeLockedOrder(write, storeId, order, next, sums),
  );
}

/** Updates a locked order to the state and totals of its ledger, and emits `order.updated`. */
export async function updateFromLedger(
  write: Write,
  storeId: string,
  order: LockedOrder,
  ledger: Ledger,
): Promise<string> {
  const money = await ledger.close();
  const { status, fulfillment, paymentUrl } = order;
  return changeLockedOrder(
    write,
    storeId,
    order,
    { status, fulfillment, paymentUrl, payment: money.payment },
    money,
  );
}

/** Records an action on a part of an order in the audit. */
export const recordOrderAudit = (
  { audit }: Write,
  storeId: string,
  action: AuditAction,
  id: string,
  { number }: Pick<LockedOrder, 'number'>,
): Promise<void> => audit(storeId, action, { id, name: `#${number}` });

/** Moves the money that a new payment state requires. Returns the order's new totals. */
async function applyPaymentState(
  write: Write,
  storeId: string,
  order: LockedOrder,
  payment: OrderFields['payment'],
  assertAllowed?: RefundTerms['assertAllowed'],
): Promise<OrderSums> {
  // Most changes move no money and need no entries.
  if (payment === order.payment && order.paidCents !== null) return toSums(order);
  const ledger = await openLedger(write, storeId, order);
  if (payment === 'refunded' && payment !== order.payment) {
    await refundManual(write, storeId, { order, ledger }, assertAllowed);
  }
  if (payment !== order.payment) await ledger.setPaymentState(payment);
  return ledger.close();
}

/**
 * Checks a payment link. It must be encrypted, because customers are sent there, except on a developer's own machine.
 * @throws invalid_body
 */
function readPaymentUrl(text: string | null): string | null {
  if (text === null) return null;
  const url = parseWebAddress(text);
  if (!url || (url.protocol === 'http:' && !isLoopback(url.hostname))) {
    const message = 'must be an https URL, or an http one of this machine, without credentials';
    throw errors.invalid_body({ details: [{ pointer: '/url', message }] });
  }
  return url.href;
}

/**
 * Cancels an order, unless in the meantime it has been paid (even in part), shipped, completed or cancelled, or its
 * shopper has begun another payment since `paysSince`. The lock decides which of two concurrent changes comes first;
 * the other one sees its result.
 */
export async function cancelUnpaid(
  write: Write,
  storeId: string,
  id: string,
  paysSince: Date | null,
): Promise<void> {
  const order = await lockOrder(write.trx, storeId, id);
  if (!order) return;
  const { status, payment, fulfillment, paymentUrl } = order;
  if (status !== 'open' || payment !== 'pending' || fulfillment !== 'unfulfilled') return;
  if ((order.paidCents ?? 0) > 0 || order.paysSince?.getTime() !== paysSince?.getTime()) return;
  // A bank debit takes days, so a payment that is under way may still succeed.
  const payments = await listOrderPayments(write.trx, storeId, id);
  if (payments.some(({ is_under_way: isUnderWay }) => isUnderWay)) return;
  const cancelled: OrderFields = { status: 'cancelled', payment, fulfillment, paymentUrl };
  await changeLockedOrder(
    write,
    storeId,
    order,
    cancelled,
    await applyPaymentState(write, storeId, order, payment),
  );
}

/** Returns the audit's names of a change. */
function listAuditActions(from: OrderFields, to: OrderFields): AuditAction[] {
  const actions: AuditAction[] = [];
  if (from.status !== to.status)
    actions.push(to.status === 'cancelled' ? 'order.cancelled' : 'order.statusChanged');
  if (from.payment !== to.payment) actions.push('order.paymentChanged');
  if (from.fulfillment !== to.fulfillment) actions.push('order.fulfillmentChanged');
  if (from.paymentUrl !== to.paymentUrl) actions.push('order.paymentUrlChanged');
  return actions;
}

/**
 * Changes a locked order with all dependent totals, and emits `order.updated`. If the order is cancelled, an event of
 * the same transaction puts its stock back, and its discount uses are returned. Returns the `{ order }` envelope as
 * JSON.
 */
export async function changeLockedOrder(
  { trx, emit, audit }: Write,
  storeId: string,
  order: LockedOrder,
  next: OrderFields,
  sums: OrderSums,
): Promise<string> {
  const { id, customerId, number, ...current } = order;
  await updateOrder(trx, storeId, id, next, sums, new Date());
  const isCancelled = next.status === 'cancelled' && current.status !== 'cancelled';
  if (isCancelled) {
    await returnUses(trx, storeId, id);
    await endOpenPayments(trx, storeId, await listOrderPayments(trx, storeId, id));
  }
  const [before, after] = [computeFigures(order, toSums(order)), computeFigures(next, sums)];
  await countForCustomer(trx, storeId, customerId, {
    orders: after.orders - before.orders,
    spentCents: after.spentCents - before.spentCents,
  });
  const json = await findOrderEnvelope(trx, storeId, id);
  await emit(OrderUpdated, storeId, { json: json! });
  for (const action of listAuditActions(current, next))
    await audit(storeId, action, { id, name: `#${number}` });
  if (isCancelled) {
    // Units that went back to stock before are not put back again.
    const items = listUnitsWithout(order, 'restocked');
    await emit(OrderCancelled, storeId, { orderId: id, items });
  }
  // Last, because all orders of the store that change at the same time wait for its counts.
  await countOrder(trx, storeId, current, next);
  return json!;
}
