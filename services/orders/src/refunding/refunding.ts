import { newId, type Refund, RefundCreated, UnitsReturned } from '@waybill/contracts';
import type { Transaction } from 'kysely';
import type { Write } from '../config.ts';
import { updateUnits } from '../dispatch/queries.ts';
import {
  addUnits,
  listUnitsWithout,
  mergeLines,
  type OrderWithUnits,
  requireUnits,
} from '../dispatch/units.ts';
import { errors } from '../errors.ts';
import { collectedCents, type Ledger, type LedgerOrder } from '../ledger/entries.ts';
import type { PaymentWithEntries } from '../ledger/queries.ts';
import type { Tables } from '../tables.ts';
import {
  priceRefund,
  proportion,
  type RefundAmountsInput,
  type RefundableOrder,
  type RefundSums,
  refundableShippingCents,
} from './amounts.ts';
import {
  findRefundById,
  insertRefund,
  listCountedRefunds,
  type RefundRow,
  returnedCents,
  updateRefund,
} from './queries.ts';

type Trx = Transaction<Tables>;

/** The fields of a locked order that its refunds need. */
export type RefundedOrder = LedgerOrder & OrderWithUnits & RefundableOrder;

/** Converts a refund to the shape that the API and events use. */
export const toRefund = (row: RefundRow): Refund => ({
  id: row.id,
  orderId: row.order_id,
  amountCents: row.amount_cents,
  taxCents: row.tax_cents,
  shippingCents: row.shipping_cents,
  lines: row.lines,
  reason: row.reason,
  state: row.state,
  createdAt: row.created_at.toISOString(),
});

const toSums = (row: RefundRow): RefundSums => ({
  amountCents: row.amount_cents,
  taxCents: row.tax_cents,
  shippingCents: row.shipping_cents,
  shippingTaxCents: row.shipping_tax_cents,
  lines: row.lines,
});

/** A requested refund and its options. */
export interface RefundDetails extends Omit<RefundAmountsInput, 'lines'> {
  lines?: readonly { variantId: string; quantity: number; restock?: boolean }[];
  reason?: string | null;
  paymentId?: string;
  notify?: boolean;
}

/** The limits and effects of a refund, besides its amounts. */
export interface RefundTerms {
  /** Called with the amount; throws if it may not be refunded. */
  assertAllowed: (amountCents: number) => void;
  /** Begins to refund money that a provider holds. Without it, only money that was recorded by hand is refunded. */
  beginAtProvider?: (payment: PaymentWithEntries, amountCents: number, refundId: string) => Promise<unknown>;
  /** Identifies the refund if its request is repeated. */
  requestKey?: string | null;
}

/**
 * Refunds a locked order: `decisions.md 23.2`. Records the refund in the ledger, which the caller must close. Emits
 * `refund.created`.
 * @throws invalid_body, not_found, invalid_quantity, amount_exceeded; the errors of its terms
 */
export async function refundLockedOrder(
  write: Write,
  storeId: string,
  { order, ledger }: { order: RefundedOrder; ledger: Ledger },
  requested: RefundDetails,
  { assertAllowed, beginAtProvider, requestKey = null }: RefundTerms,
): Promise<Refund> {
  const { trx, emit } = write;
  await createMissingRefund(write, storeId, order, ledger);
  const counted = await listCountedRefunds(trx, storeId, order.id);
  const { lines, sums } = priceRequested(order, counted.map(toSums), requested);
  const payments = ledger.payments.filter(({ provider }) => provider === 'manual' || beginAtProvider);
  const parts = divideAmount(payments, counted, sums.amountCents, requested.paymentId);
  assertAllowed(sums.amountCents);
  const id = newId('refund');
  for (const { payment, amountCents: partCents } of parts) {
    if (payment.provider === 'manual')
      await ledger.record(payment, { kind: 'refunded', amountCents: partCents });
    else await beginAtProvider!(payment, partCents, id);
  }
  const stateOfPart = ({ provider }: PaymentWithEntries) => (provider === 'manual' ? 'done' : 'pending');

  const restocked = listRestockableUnits(order, requested.lines ?? []);
  const now = new Date();
  const row = await insertRefund(trx, storeId, {
    id,
    order_id: order.id,
    ...toColumns(sums),
    lines: sums.lines.map((line) => ({
      ...line,
      restock: (requested.lines ?? []).some(
        ({ variantId, restock }) => variantId === line.variantId && restock === true,
      ),
    })),
    reason: requested.reason ?? null,
    state: parts.every(({ payment }) => payment.provider === 'manual') ? 'done' : 'pending',
    parts: parts.map(({ payment, amountCents: partCents }) => ({
      paymentId: payment.id,
      amountCents: partCents,
      state: stateOfPart(payment),
    })),
    notifies: requested.notify ?? true,
    request_key: requestKey,
    created_at: now,
    updated_at: now,
  });
  order.units = addUnits(order.units, 'refunded', lines);
  await updateUnits(trx, storeId, order.id, order.units);
  await returnUnits(write, storeId, order, restocked);
  const refund = toRefund(row);
  await emit(RefundCreated, storeId, { refund });
  return refund;
}

/**
 * Computes the amounts of a requested refund, after those that were refunded `before`.
 * @throws invalid_body for a refund of nothing, invalid_quantity, amount_exceeded
 */
function priceRequested(order: RefundedOrder, before: readonly RefundSums[], requested: RefundDetails) {
  const { shippingCents, amountCents } = requested;
  const lines = mergeLines(requested.lines ?? []);
  requireUnits(order, lines, listUnitsWithout(order, 'refunded'));
  const refundableCents = refundableShippingCents(order, before);
  if ((shippingCents ?? 0) > refundableCents) throw exceeded(refundableCents, 'of shipping');
  const sums = priceRefund(order, before, {
    lines,
    ...(shippingCents !== undefined && { shippingCents }),
    ...(amountCents !== undefined && { amountCents }),
  });
  if (sums.amountCents === 0) {
    const message = 'refunds nothing: send lines, shippingCents or amountCents';
    throw errors.invalid_body({ details: [{ pointer: '', message }] });
  }
  return { lines, sums };
}

/**
 * Refunds all money of a locked order that was recorded by hand. If that is all that is left of the order, the refund
 * includes the remaining lines and shipping. Returns null if there is no such money.
 * @throws the errors of `assertAllowed`
 */
export async function refundManual(
  write: Write,
  storeId: string,
  { order, ledger }: { order: RefundedOrder; ledger: Ledger },
  assertAllowed: RefundTerms['assertAllowed'] = () => {},
): Promise<Refund | null> {
  const manual = ledger.payments.filter(({ provider }) => provider === 'manual');
  const amountCents = manual.reduce((sum, payment) => sum + collectedCents(payment), 0);
  if (amountCents === 0) return null;
  await createMissingRefund(write, storeId, order, ledger);
  const rest = await readRefundableRest(write.trx, storeId, order, amountCents);
  return refundLockedOrder(write, storeId, { order, ledger }, { ...rest, amountCents }, { assertAllowed });
}

/** Returns the remaining lines and shipping if the amount is all that is left of the order; otherwise nothing. */
async function readRefundableRest(
  trx: Trx,
  storeId: string,
  order: RefundedOrder,
  amountCents: number,
): Promise<RefundAmountsInput> {
  const before = (await listCountedRefunds(trx, storeId, order.id)).map(toSums);
  const refundedCents = before.reduce((sum, refund) => sum + refund.amountCents, 0);
  if (refundedCents + amountCents < order.totalCents) return {};
  return {
    lines: listUnitsWithout(order, 'refunded'),
    shippingCents: refundableShippingCents(order, before),
  };
}

/**
 * Creates a refund for money that the ledger has returned without one: the provider returned it on its own, or the order
 * is from before refunds existed. With `isNews`, the money has just gone back: the customer gets a mail, and
 * `refund.created` is emitted.
 */
export async function createMissingRefund(
  { trx, emit }: Write,
  storeId: string,
  order: RefundedOrder,
  ledger: Ledger,
  { isNews = false } = {},
): Promise<void> {
  const { refundedCents } = ledger.money;
  if (refundedCents === 0) return;
  const counted = await listCountedRefunds(trx, storeId, order.id);
  const amountCents = refundedCents - counted.reduce((sum, row) => sum + returnedCents(row), 0);
  if (amountCents <= 0) return;
  const rest = await readRefundableRest(trx, storeId, order, amountCents);
  const sums = priceRefund(order, counted.map(toSums), { ...rest, amountCents });
  const at = findNewestRefundTime(ledger.payments);
  const row = await insertRefund(trx, storeId, {
    id: newId('refund', at.getTime()),
    order_id: order.id,
    ...toColumns(sums),
    lines: sums.lines.map((line) => ({ ...line, restock: false })),
    reason: null,
    state: 'done',
    parts: [{ paymentId: null, amountCents, state: 'done' }],
    notifies: isNews,
    created_at: at,
    updated_at: at,
  });
  order.units = addUnits(order.units, 'refunded', rest.lines ?? []);
  await updateUnits(trx, storeId, order.id, order.units);
  if (isNews) await emit(RefundCreated, storeId, { refund: toRefund(row) });
}

/**
 * Records a provider's result for a part of a refund. If no money was refunded, the refund has failed and its units can
 * be refunded again. Returns whether that is so.
 */
export async function recordPartResult(
  trx: Trx,
  storeId: string,
  order: Pick<RefundedOrder, 'id' | 'units'>,
  { refundId, paymentId, state }: { refundId: string; paymentId: string; state: 'done' | 'failed' },
): Promise<boolean> {
  const row = await findRefundById(trx, storeId, refundId);
  if (row?.state !== 'pending') return false;
  const parts = row.parts.map((part) =>
    part.paymentId === paymentId && part.state === 'pending' ? { ...part, state } : part,
  );
  return writeParts(trx, storeId, order, row, parts);
}

/**
 * Records that a part of a refund failed after it had succeeded. Without a refund id, this concerns a refund that was
 * created for money which the provider had returned on its own. Returns whether no money of that refund remains paid
 * back.
 */
export async function reversePart(
  trx: Trx,
  storeId: string,
  order: Pick<RefundedOrder, 'id' | 'units'>,
  { refundId, paymentId, amountCents }: { refundId: string | null; paymentId: string; amountCents: number },
): Promise<boolean> {
  const counted = await listCountedRefunds(trx, storeId, order.id);
  const isReversed = ({ paymentId: of, state, amountCents: cents }: RefundRow['parts'][number]) =>
    state === 'done' && cents === amountCents && of === (refundId === null ? null : paymentId);
  const row = counted.findLast(
    ({ id, parts }) => (refundId === null || id === refundId) && parts.some(isReversed),
  );
  if (!row) return false;
  const reversed = row.parts.findIndex(isReversed);
  const parts = row.parts.map((part, i) => (i === reversed ? { ...part, state: 'failed' as const } : part));
  return writeParts(trx, storeId, order, row, parts);
}

/** Stores the parts of a refund and the resulting totals. Returns whether the refund has failed. */
async function writeParts(
  trx: Trx,
  storeId: string,
  order: Pick<RefundedOrder, 'id' | 'units'>,
  row: RefundRow,
  parts: RefundRow['parts'],
): Promise<boolean> {
  const isPending = parts.some((part) => part.state === 'pending');
  const amountCents = returnedCents({ parts });
  const isFailed = !isPending && amountCents === 0;
  const isLess = !isPending && !isFailed && amountCents < row.amount_cents;
  await updateRefund(trx, storeId, row.id, {
    state: isPending ? 'pending' : isFailed ? 'failed' : 'done',
    parts,
    amount_cents: isLess ? amountCents : row.amount_cents,
    tax_cents: isLess ? proportion(row.tax_cents, amountCents, row.amount_cents) : row.tax_cents,
  });
  if (!isFailed) return false;
  order.units = addUnits(order.units, 'refunded', row.lines, -1);
  await updateUnits(trx, storeId, order.id, order.units);
  return true;
}

/** Puts units of a locked order back on stock, once, by an event of the same transaction. */
export async function returnUnits(
  { trx, emit }: Write,
  storeId: string,
  order: RefundedOrder,
  lines: readonly { variantId: string; quantity: number }[],
): Promise<void> {
  if (lines.length === 0) return;
  order.units = addUnits(order.units, 'restocked', lines);
  await updateUnits(trx, storeId, order.id, order.units);
  await emit(UnitsReturned, storeId, { orderId: order.id, items: [...lines] });
}

/** Returns the units that are not back on stock yet. All units of a cancelled order are. */
export function listRestockableUnits(
  order: OrderWithUnits & Pick<LedgerOrder, 'status'>,
  lines: readonly { variantId: string; quantity: number; restock?: boolean }[],
): { variantId: string; quantity: number }[] {
  if (order.status === 'cancelled') return [];
  const remainingUnits = new Map(
    listUnitsWithout(order, 'restocked').map(({ variantId, quantity }) => [variantId, quantity]),
  );
  return mergeLines(lines.filter(({ restock }) => restock))
    .map(({ variantId, quantity }) => ({
      variantId,
      quantity: Math.min(quantity, remainingUnits.get(variantId) ?? 0),
    }))
    .filter(({ quantity }) => quantity > 0);
}

const toColumns = ({ amountCents, taxCents, shippingCents, shippingTaxCents }: RefundSums) => ({
  amount_cents: amountCents,
  tax_cents: taxCents,
  shipping_cents: shippingCents,
  shipping_tax_cents: shippingTaxCents,
});

/** Returns when the ledger last recorded a refund. */
function findNewestRefundTime(payments: readonly PaymentWithEntries[]): Date {
  const times = payments
    .flatMap(({ entries }) => entries)
    .filter(({ kind }) => kind === 'refunded')
    .map(({ at }) => at.getTime());
  return new Date(Math.max(...times));
}

/** Returns the amount of a payment that can still be refunded: the kept amount minus pending refunds. */
function returnableCents(payment: PaymentWithEntries, refunds: readonly RefundRow[]): number {
  const pending = refunds
    .flatMap(({ parts }) => parts)
    .filter(({ paymentId, state }) => paymentId === payment.id && state === 'pending')
    .reduce((sum, { amountCents }) => sum + amountCents, 0);
  return Math.max(0, collectedCents(payment) - pending);
}

/**
 * Divides an amount among the payments that captured it, newest first, or uses a single one.
 * @throws not_found, amount_exceeded
 */
function divideAmount(
  payments: readonly PaymentWithEntries[],
  refunds: readonly RefundRow[],
  amountCents: number,
  paymentId: string | undefined,
): { payment: PaymentWithEntries; amountCents: number }[] {
  const chosen = payments.filter(({ id }) => paymentId === undefined || id === paymentId);
  if (paymentId !== undefined && chosen.length === 0) {
    throw errors.not_found({ message: `The order has no payment ${paymentId}.` });
  }
  const refundablePayments = chosen
    .map((payment) => ({ payment, most: returnableCents(payment, refunds) }))
    .reverse();
  const refundableCents = refundablePayments.reduce((sum, each) => sum + each.most, 0);
  if (amountCents > refundableCents) throw exceeded(refundableCents, 'of what was paid');
  let remainingCents = amountCents;
  return refundablePayments
    .map(({ payment, most: refundableOfPayment }) => {
      const part = Math.min(remainingCents, refundableOfPayment);
      remainingCents -= part;
      return { payment, amountCents: part };
    })
    .filter((part) => part.amountCents > 0);
}

const exceeded = (refundableCents: number, source: string): Error =>
  errors.amount_exceeded({
    message: `At most ${refundableCents} ${source} can be refunded, in minor units.`,
    fields: { maximumCents: refundableCents },
  });
