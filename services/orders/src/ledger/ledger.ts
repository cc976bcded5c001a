import type { EntryKind, MoneyState, Order } from '@waybill/contracts';

/** The fields of an entry that the derivations need. */
export interface LedgerEntry {
  kind: EntryKind;
  amountCents: number;
  at: Date;
  /** Ids sort in the order in which entries were stored. */
  id: string;
  /** The state that a `noted` entry gives the order. */
  status: Order['payment'] | null;
  /** Whether a `refunded` entry returned an excess over the order's total automatically. */
  isExcess?: boolean;
}

/** The fields of a payment that the derivations need. */
export interface LedgerPayment {
  amountCents: number;
  entries: readonly LedgerEntry[];
}

/** The totals of a payment's entries, independent of their order. */
export interface PaymentSums {
  authorizedCents: number;
  capturedCents: number;
  refundedCents: number;
}

const sumEntries = (entries: readonly LedgerEntry[], kind: EntryKind) =>
  entries.reduce((sum, entry) => sum + (entry.kind === kind ? entry.amountCents : 0), 0);

const has = (entries: readonly LedgerEntry[], kind: EntryKind) =>
  entries.some((entry) => entry.kind === kind);

/** Returns the authorised, captured and refunded amounts of a payment. */
export const sumPayment = ({ entries }: LedgerPayment): PaymentSums => ({
  authorizedCents: sumEntries(entries, 'authorized'),
  capturedCents: sumEntries(entries, 'captured'),
  refundedCents: sumEntries(entries, 'refunded'),
});

/**
 * Returns the excess over the order's total that was returned automatically. It counts neither as captured nor as
 * refunded for the order.
 */
const computeExcess = ({ entries }: LedgerPayment) =>
  entries.reduce((sum, { isExcess, amountCents }) => sum + (isExcess ? amountCents : 0), 0);

/** Whether a payment contains only notes. It then counts only in the first rule of the order's state. */
const isNote = ({ amountCents, entries }: LedgerPayment) =>
  amountCents === 0 && entries.every(({ kind }) => kind === 'noted');

/** Derives the state of a payment: `decisions.md 22.2`. Uses amounts, so entries may arrive in any order. */
export function deriveMoneyState(payment: LedgerPayment): MoneyState {
  const { entries } = payment;
  const { authorizedCents, capturedCents, refundedCents } = sumPayment(payment);
  const isDisputed = entries.filter(({ kind }) => kind === 'disputed').length;
  const isWon = entries.filter(({ kind }) => kind === 'disputeWon').length;
  if (has(entries, 'disputeLost') || isDisputed > isWon) return 'disputed';
  if (refundedCents > 0) return refundedCents >= capturedCents ? 'refunded' : 'partially_refunded';
  if (capturedCents > 0) return 'captured';
  if (has(entries, 'voided')) return 'voided';
  if (has(entries, 'failed')) return 'failed';
  return authorizedCents > 0 ? 'authorized' : 'pending';
}

/** The state and totals of an order's payments. */
export interface OrderMoney {
  payment: Order['payment'];
  paidCents: number;
  refundedCents: number;
}

/**
 * Derives the state and totals of an order from its payments, `decisions.md 22.3`: the first matching rule applies. No
 * other function derives them.
 */
export function deriveMoney(
  { totalCents, hasPaymentMethods }: { totalCents: number; hasPaymentMethods: boolean },
  payments: readonly LedgerPayment[],
): OrderMoney {
  const counted = payments.filter((payment) => !isNote(payment));
  const sums = counted.map(sumPayment);
  const excessCents = counted.reduce((sum, payment) => sum + computeExcess(payment), 0);
  const paidCents = sums.reduce((sum, { capturedCents }) => sum + capturedCents, 0) - excessCents;
  const refundedCents = sums.reduce((sum, each) => sum + each.refundedCents, 0) - excessCents;
  return { payment: deriveOrderState(), paidCents, refundedCents };

  function deriveOrderState(): Order['payment'] {
    const noted = newestEntry(payments);
    if (noted?.kind === 'noted' && noted.status) return noted.status;
    if (refundedCents > 0) return refundedCents >= paidCents ? 'refunded' : 'partially_refunded';
    if (paidCents >= totalCents && (counted.length > 0 || (totalCents === 0 && hasPaymentMethods)))
      return 'paid';
    const states = counted.map(deriveMoneyState);
    const openCents = counted.reduce(
      (sum, _, i) => sum + (states[i] === 'authorized' ? sums[i]!.authorizedCents : 0),
      0,
    );
    if (openCents > 0 && openCents + paidCents >= totalCents) return 'authorized';
    const isOpen = states.some((state) => ['pending', 'authorized', 'captured', 'disputed'].includes(state));
    if (states.includes('voided') && !isOpen) return 'voided';
    return 'pending';
  }
}

function newestEntry(payments: readonly LedgerPayment[]): LedgerEntry | undefined {
  let newest: LedgerEntry | undefined;
  for (const entry of payments.flatMap(({ entries }) => entries)) {
    const isNewer =
      !newest ||
      entry.at.getTime() > newest.at.getTime() ||
      (entry.at.getTime() === newest.at.getTime() && entry.id > newest.id);
    if (isNewer) newest = entry;
  }
  return newest;
}
