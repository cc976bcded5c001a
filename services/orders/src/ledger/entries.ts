import {
  type EntryKind,
  newId,
  type Order,
  type Payment,
  type PaymentFact,
  PaymentUpdated,
} from '@waybill/contracts';
import type { Write } from '../config.ts';
import { errors } from '../errors.ts';
import { deriveMoney, deriveMoneyState, type LedgerPayment, type OrderMoney, sumPayment } from './ledger.ts';
import {
  changePayment,
  insertEntry,
  insertPayment,
  listOrderPayments,
  type PaymentRow,
  type PaymentWithEntries,
  updateOrderSums,
  updatePayment,
} from './queries.ts';

/** The fields of a locked order that the ledger needs. */
export interface LedgerOrder {
  id: string;
  status: Order['status'];
  payment: Order['payment'];
  currency: string;
  totalCents: number;
  /** Null: the order is older than the ledger. */
  paidCents: number | null;
  hasPaymentMethods: boolean;
  updatedAt: Date;
}

/** Converts a payment to the shape that the API and events use. */
export const toPayment = (row: PaymentWithEntries): Payment => ({
  id: row.id,
  orderId: row.order_id,
  methodId: row.method_id,
  provider: row.provider,
  method: row.method,
  status: row.status,
  amountCents: row.amount_cents,
  capturedCents: row.captured_cents,
  refundedCents: row.refunded_cents,
  currency: row.currency,
  reference: row.reference,
  failure: row.failure as Payment['failure'],
  isTest: row.is_test,
  createdAt: row.created_at.toISOString(),
  updatedAt: row.updated_at.toISOString(),
  entries: row.entries.map(({ id, kind, amount_cents, at, reference, status }) => ({
    id,
    kind,
    amountCents: amount_cents,
    at: at.toISOString(),
    reference,
    ...(kind === 'noted' && status && { status }),
  })),
});

const toLedger = ({ amount_cents, entries }: PaymentWithEntries): LedgerPayment => ({
  amountCents: amount_cents,
  entries: entries.map(({ id, kind, amount_cents: amountCents, at, status, is_excess: isExcess }) => ({
    id,
    kind,
    amountCents,
    at,
    status,
    isExcess,
  })),
});

/** Derives the state and totals of an order from its payments. */
export const summariseMoney = (
  order: Pick<LedgerOrder, 'totalCents' | 'hasPaymentMethods'>,
  payments: readonly PaymentWithEntries[],
): OrderMoney => deriveMoney(order, payments.map(toLedger));

/** Derives the stored totals of a payment from its entries. */
export function derivePayment(
  payment: PaymentWithEntries,
): Pick<PaymentRow, 'status' | 'captured_cents' | 'refunded_cents'> {
  const entries = toLedger(payment);
  const { capturedCents, refundedCents } = sumPayment(entries);
  return { status: deriveMoneyState(entries), captured_cents: capturedCents, refunded_cents: refundedCents };
}

/** Returns the captured amount of a payment minus its refunds. */
export const collectedCents = (payment: PaymentWithEntries): number =>
  payment.captured_cents - payment.refunded_cents;

/** Returns the amount of an order that is still to be paid; 0 for a cancelled order. */
export const dueCents = (
  { status, totalCents }: Pick<LedgerOrder, 'status' | 'totalCents'>,
  paidCents: number,
): number => (status === 'cancelled' ? 0 : Math.max(0, totalCents - paidCents));

interface NewEntry {
  kind: EntryKind;
  amountCents: number;
  at?: Date;
  reference?: string | null;
  status?: Order['payment'];
  isExcess?: boolean;
}

/** A payment to add. Without a method, it was recorded by hand. */
export interface NewPayment {
  amountCents: number;
  at?: Date;
  reference?: string | null;
  method?: { id: string; provider: Payment['provider']; name: string; isTest: boolean };
  /** URL of the shopper's page of the order, without its token. */
  returnUrl?: string;
}

/** A provider's fact that the ledger accepts. */
export type LedgerFact = Omit<PaymentFact, 'kind'> & { kind: EntryKind | 'processing' | 'declined' };

/** The ledger of a locked order: its payments, to which entries are added. Every change of money goes through it. */
export class Ledger {
  readonly #write: Write;
  readonly #storeId: string;
  readonly #order: LedgerOrder;
  readonly #payments: PaymentWithEntries[];
  /** The payments that have changed. */
  readonly #changed = new Set<PaymentWithEntries>();

  private constructor(write: Write, storeId: string, order: LedgerOrder, payments: PaymentWithEntries[]) {
    this.#write = write;
    this.#storeId = storeId;
    this.#order = order;
    this.#payments = payments;
  }

  /**
   * Opens the ledger of an order that the transaction has locked. First adds entries for the state of an order that is
   * older than the ledger, or that an older version of this service has changed.
   */
  static async open(write: Write, storeId: string, order: LedgerOrder): Promise<Ledger> {
    const ledger = new Ledger(write, storeId, order, await listOrderPayments(write.trx, storeId, order.id));
    if (order.paidCents === null) await ledger.#begin();
    else if (ledger.money.payment !== order.payment) await ledger.#note(order.payment, order.updatedAt);
    return ledger;
  }

  get payments(): readonly PaymentWithEntries[] {
    return this.#payments;
  }

  get money(): OrderMoney {
    return summariseMoney(this.#order, this.#payments);
  }

  get dueCents(): number {
    return dueCents(this.#order, this.money.paidCents);
  }

  /** Adds entries for the state of an order that is older than the ledger. */
  async #begin(): Promise<void> {
    const { payment, totalCents, updatedAt: at } = this.#order;
    const wasTaken = payment === 'paid' || payment === 'partially_refunded' || payment === 'refunded';
    if (wasTaken && totalCents > 0) {
      const paid = await this.add({ amountCents: totalCents, at });
      await this.record(paid, { kind: 'captured', amountCents: totalCents, at });
      if (payment === 'refunded') await this.record(paid, { kind: 'refunded', amountCents: totalCents, at });
    }
    if (this.money.payment !== payment) await this.#note(payment, at);
    // Emits nothing, because nothing happens now.
    this.#changed.clear();
    await updateOrderSums(this.#write.trx, this.#storeId, this.#order.id, this.money);
  }

  /** Adds a payment without entries. */
  async add({
    amountCents,
    at = new Date(),
    reference = null,
    method,
    returnUrl,
  }: NewPayment): Promise<PaymentWithEntries> {
    const row = await insertPayment(this.#write.trx, this.#storeId, {
      id: newId('payment'),
      order_id: this.#order.id,
      method_id: method?.id ?? null,
      provider: method?.provider ?? 'manual',
      method_name: method?.name ?? null,
      is_test: method?.isTest ?? false,
      amount_cents: amountCents,
      currency: this.#order.currency,
      reference,
      return_url: returnUrl ?? null,
      created_at: at,
      updated_at: at,
    });
    const added: PaymentWithEntries = { ...row, entries: [] };
    this.#payments.push(added);
    this.#changed.add(added);
    return added;
  }

  /**
   * Applies a provider's fact once; kind and reference identify it. Facts may come in any order. Returns whether it
   * added an entry.
   */
  async applyFact(
    payment: PaymentWithEntries,
    { kind, amountCents, reference, at, method, failure }: LedgerFact,
    { isExcess = false } = {},
  ): Promise<boolean> {
    const isOpen = payment.status === 'pending';
    if (kind === 'processing' || kind === 'declined') {
      if (!isOpen) return false;
      const isUnderWay = kind === 'processing';
      await this.#describe(payment, {
        is_under_way: isUnderWay,
        method: method ?? payment.method,
        ...(!isUnderWay && { failure: failure && JSON.stringify(failure) }),
      });
      return false;
    }
    if (payment.entries.some((entry) => entry.kind === kind && entry.reference === reference)) return false;
    const isTaken = kind === 'authorized' || kind === 'captured';
    await this.#describe(payment, {
      is_under_way: false,
      method: method ?? payment.method,
      ...(isTaken && { failure: null, reference: payment.reference ?? reference }),
      // The reason of an earlier decline stays.
      ...(kind === 'failed' && isOpen && failure && !payment.failure && { failure: JSON.stringify(failure) }),
    });
    await this.record(payment, { kind, amountCents, at: new Date(at), reference, isExcess });
    return true;
  }

  /** Changes the properties of a payment that do not derive from its entries. */
  async #describe(
    payment: PaymentWithEntries,
    change: Partial<Pick<PaymentRow, 'is_under_way' | 'method' | 'failure' | 'reference'>>,
  ): Promise<void> {
    const next = { ...change };
    for (const [name, value] of Object.entries(change)) {
      const before = payment[name as keyof typeof change];
      const isSame =
        name === 'failure' ? JSON.stringify(before) === (value ?? JSON.stringify(null)) : before === value;
      if (isSame) delete next[name as keyof typeof change];
    }
    if (Object.keys(next).length === 0) return;
    Object.assign(payment, await changePayment(this.#write.trx, this.#storeId, payment.id, next));
    this.#changed.add(payment);
  }

  /** Adds an entry to a payment, and updates the payment's totals. */
  async record(
    payment: PaymentWithEntries,
    { kind, amountCents, at = new Date(), reference = null, status, isExcess = false }: NewEntry,
  ): Promise<void> {
    const entry = await insertEntry(this.#write.trx, this.#storeId, {
      payment_id: payment.id,
      currency: payment.currency,
      id: newId('paymentEntry'),
      kind,
      amount_cents: amountCents,
      at,
      reference,
      status: status ?? null,
      is_excess: isExcess,
    });
    payment.entries.push(entry);
    const derived = derivePayment(payment);
    Object.assign(payment, derived, await updatePayment(this.#write.trx, this.#storeId, payment.id, derived));
    this.#changed.add(payment);
  }

  /** Sets the order's state by hand, without moving money. */
  async #note(status: Order['payment'], at = new Date()): Promise<void> {
    const notes = this.#payments.find(
      ({ amount_cents: amount, entries }) => amount === 0 && entries.every(({ kind }) => kind === 'noted'),
    );
    const payment = notes ?? (await this.add({ amountCents: 0, at }));
    // The note must be the newest entry, because the newest one determines the state.
    const newest = Math.max(
      at.getTime(),
      ...this.#payments.flatMap(({ entries }) => entries.map((entry) => entry.at.getTime())),
    );
    await this.record(payment, { kind: 'noted', amountCents: 0, at: new Date(newest), status });
  }

  /**
   * Brings the order into a state that a member or a client has set: `decisions.md 22.3`. Moves money that was recorded
   * by hand; if that does not lead to the state, adds a note.
   * @throws provider_payment if money would have to move at a provider, or may still come from one
   */
  async setPaymentState(status: Order['payment']): Promise<void> {
    const atProviders = this.#payments.filter(({ provider }) => provider !== 'manual');
    const isOpen = ({ status }: PaymentWithEntries) => status === 'pending' || status === 'authorized';
    const movesMoney = status === 'refunded' && atProviders.some((payment) => collectedCents(payment) > 0);
    if (movesMoney || atProviders.some(isOpen)) throw errors.provider_payment();
    const manual = this.#payments.filter(({ provider }) => provider === 'manual');
    if (status === 'paid') await this.#captureDue(manual.filter(isOpen));
    if (status === 'refunded') {
      for (const payment of manual.filter((each) => collectedCents(each) > 0)) {
        await this.record(payment, { kind: 'refunded', amountCents: collectedCents(payment) });
      }
    }
    if (status === 'voided') {
      for (const payment of manual.filter(isOpen).filter(({ amount_cents: amount }) => amount > 0)) {
        await this.record(payment, { kind: 'voided', amountCents: payment.amount_cents });
      }
    }
    if (this.money.payment !== status) await this.#note(status);
  }

  async #captureDue(open: readonly PaymentWithEntries[]): Promise<void> {
    for (const payment of open) {
      const amountCents = Math.min(this.dueCents, payment.amount_cents);
      if (amountCents > 0) await this.record(payment, { kind: 'captured', amountCents });
    }
    const amountCents = this.dueCents;
    if (amountCents === 0) return;
    const payment = await this.add({ amountCents });
    await this.record(payment, { kind: 'captured', amountCents });
  }

  /** Emits `payment.updated` for each changed payment. Returns the order's totals for its row. */
  async close(): Promise<OrderMoney> {
    for (const payment of this.#changed) {
      await this.#write.emit(PaymentUpdated, this.#storeId, { payment: toPayment(payment) });
    }
    this.#changed.clear();
    return this.money;
  }
}
