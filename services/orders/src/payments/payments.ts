import type { AuditAction, Payment } from '@waybill/contracts';
import { Answer, jsonType, type RouteRequest } from '@waybill/kernel';
import type { Context, Write } from '../config.ts';
import { errors } from '../errors.ts';
import { type Ledger, toPayment } from '../ledger/entries.ts';
import {
  findPayment,
  isOlderThanLedger,
  listWithoutLedger,
  type OrderKey,
  type PaymentWithEntries,
} from '../ledger/queries.ts';
import { findStepOfRequest, insertStep, type NewStep } from '../ledger/step-queries.ts';
import { openLedger } from '../orders/orders.ts';
import { lockOrder } from '../orders/queries.ts';
import { changeOrderMoney } from './change-money.ts';
import type { PaymentInput } from './routes.ts';
import { assertNoPendingStep, assertStepSucceeded, createRequestKey, runStep } from './steps.ts';

/** Locks an order and changes one of its payments. @throws not_found */
async function changeOrderPayment(
  write: Write,
  storeId: string,
  orderId: string,
  change: (ledger: Ledger) => Promise<PaymentWithEntries>,
): Promise<Payment> {
  const payment = await changeOrderMoney(write, storeId, orderId, change);
  if (!payment) throw errors.not_found();
  return toPayment(payment);
}

/**
 * Records money that came another way, by default the whole due amount. `decisions.md 22.2`.
 * @throws not_found, invalid_state if nothing is due, amount_exceeded
 */
export function recordPayment(
  write: Write,
  storeId: string,
  orderId: string,
  { amountCents, reference }: PaymentInput,
): Promise<Payment> {
  return changeOrderPayment(write, storeId, orderId, async (ledger) => {
    const due = ledger.dueCents;
    if (due === 0) throw errors.invalid_state({ message: 'Nothing is due for this order.' });
    if (amountCents !== undefined && amountCents > due) throw exceeded(due);
    const amount = amountCents ?? due;
    const payment = await ledger.add({ amountCents: amount, reference: reference ?? null });
    await ledger.record(payment, { kind: 'captured', amountCents: amount, reference: reference ?? null });
    await auditPayment(write, storeId, 'payment.recorded', payment);
    return payment;
  });
}

/**
 * Captures a payment. For a manual payment this records that the money came, by default the due amount; at a provider
 * it captures the authorised amount.
 * @throws not_found, invalid_state, amount_exceeded, provider_refused
 */
export function capturePayment(
  context: Context,
  request: PaymentStepRequest,
  amountCents: number | undefined,
): Promise<Answer | { payment: Payment }> {
  return takePaymentStep(context, request, {
    action: 'payment.captured',
    async atProvider(ledger, payment) {
      if (payment.status !== 'authorized') throw createStateError(payment, 'captured');
      const authorized = sumEntries(payment, 'authorized');
      return {
        kind: 'capture',
        amountCents: chooseAmount(Math.min(ledger.dueCents, authorized), amountCents),
      };
    },
    async byHand(ledger, payment) {
      if (payment.status !== 'pending') throw createStateError(payment, 'captured');
      const due = Math.min(ledger.dueCents, payment.amount_cents);
      await ledger.record(payment, { kind: 'captured', amountCents: chooseAmount(due, amountCents) });
    },
  });
}

/**
 * Voids a payment that has captured nothing, including its authorisation or open session at a provider.
 * @throws not_found, invalid_state, provider_refused
 */
export function voidPayment(
  context: Context,
  request: PaymentStepRequest,
): Promise<Answer | { payment: Payment }> {
  return takePaymentStep(context, request, {
    action: 'payment.voided',
    async atProvider(_ledger, payment) {
      if (payment.status === 'authorized') return { kind: 'void', amountCents: payment.amount_cents };
      if (payment.status === 'pending' && !payment.is_under_way) return { kind: 'end', amountCents: 0 };
      throw createStateError(payment, 'voided');
    },
    async byHand(ledger, payment) {
      if (payment.status !== 'pending' || payment.amount_cents === 0)
        throw createStateError(payment, 'voided');
      await ledger.record(payment, { kind: 'voided', amountCents: payment.amount_cents });
    },
  });
}

/** The parts of a request that a step of its payment needs. */
export type PaymentStepRequest = Pick<
  RouteRequest,
  'storeId' | 'headers' | 'principal' | 'url' | 'idempotentWrite'
> & {
  params: Readonly<Record<'id', string>>;
  body: unknown;
};

interface StepWays {
  /** Returns the step for the provider. The order is locked. */
  atProvider(ledger: Ledger, payment: PaymentWithEntries): Promise<Pick<NewStep, 'kind' | 'amountCents'>>;
  byHand(ledger: Ledger, payment: PaymentWithEntries): Promise<void>;
  action: 'payment.captured' | 'payment.voided';
}

/**
 * Changes a payment by hand, or by a step at its provider, which is committed before the provider is called. A repeated
 * request with the same key continues the step that the first one began. Answers `202` if the provider does not answer
 * in time.
 */
async function takePaymentStep(
  context: Context,
  request: PaymentStepRequest,
  { atProvider, byHand, action }: StepWays,
): Promise<Answer | { payment: Payment }> {
  const { db } = context;
  const { storeId, params, idempotentWrite } = request;
  await idempotentWrite.begin(request.body);
  const found = await findPayment(db, storeId, params.id);
  if (!found) throw errors.not_found();
  if (found.provider === 'manual')
    return idempotentWrite.commit(async (write) => ({
      payment: await changePayment(write, storeId, params.id, byHand, action),
    }));
  const requestKey = createRequestKey(request);
  const begun = requestKey === null ? undefined : await findStepOfRequest(db, storeId, requestKey);
  const step =
    begun ??
    (await context.write(async (write) => {
      const result = await changeOrderMoney(write, storeId, found.order_id, async (ledger) => {
        const payment = ledger.payments.find(({ id }) => id === params.id)!;
        await assertNoPendingStep(write.trx, storeId, payment);
        const next = await atProvider(ledger, payment);
        await auditPayment(write, storeId, action, payment);
        return insertStep(write.trx, storeId, {
          ...next,
          paymentId: payment.id,
          orderId: payment.order_id,
          requestKey,
        });
      });
      return result!;
    }));
  const outcome = await runStep(context, storeId, step.id);
  assertStepSucceeded(outcome);
  const payment = toPayment((await findPayment(db, storeId, params.id))!);
  return idempotentWrite.commit(async () =>
    outcome.state === 'pending' ? new Answer(JSON.stringify({ payment }), jsonType, {}, 202) : { payment },
  );
}

const sumEntries = ({ entries }: PaymentWithEntries, kind: 'authorized'): number =>
  entries.reduce((sum, entry) => sum + (entry.kind === kind ? entry.amount_cents : 0), 0);

/** Returns the amount of a step. @throws invalid_state if nothing is due, whatever the amount, amount_exceeded */
function chooseAmount(maxAmountCents: number, amountCents: number | undefined): number {
  if (maxAmountCents <= 0) throw errors.invalid_state({ message: 'Nothing is due for this payment.' });
  if (amountCents !== undefined && amountCents > maxAmountCents) throw exceeded(maxAmountCents);
  return amountCents ?? maxAmountCents;
}

const createStateError = ({ status }: PaymentWithEntries, done: 'captured' | 'voided'): Error =>
  errors.invalid_state({ message: `This payment is ${status}: it cannot be ${done}.` });

async function changePayment(
  write: Write,
  storeId: string,
  id: string,
  change: (ledger: Ledger, payment: PaymentWithEntries) => Promise<void>,
  action: AuditAction,
): Promise<Payment> {
  const found = await findPayment(write.trx, storeId, id);
  if (!found) throw errors.not_found();
  return changeOrderPayment(write, storeId, found.order_id, async (ledger) => {
    // Reads the payment again, because it may have changed before the order was locked.
    const payment = ledger.payments.find((each) => each.id === id)!;
    await change(ledger, payment);
    await auditPayment(write, storeId, action, payment);
    return payment;
  });
}

const auditPayment = (
  { audit }: Write,
  storeId: string,
  action: AuditAction,
  { id, method_name: name }: PaymentWithEntries,
): Promise<void> => audit(storeId, action, { id, name: name ?? id });

const exceeded = (maxAmountCents: number): Error =>
  errors.amount_exceeded({
    message: `At most ${maxAmountCents} are due, in minor units.`,
    fields: { maximumCents: maxAmountCents },
  });

/**
 * Adds the missing entries of an order that is older than the ledger, so that they can be read.
 * @throws not_found
 */
export async function ensureLedger(context: Context, storeId: string, orderId: string): Promise<void> {
  const isWithout = await isOlderThanLedger(context.db, storeId, orderId);
  if (isWithout === null) throw errors.not_found();
  if (!isWithout) return;
  await context.write(async (write) => {
    const locked = await lockOrder(write.trx, storeId, orderId);
    if (locked) await openLedger(write, storeId, locked);
  });
}

const atOnce = 200;

/**
 * The task that adds the entries of all orders that are older than the ledger, some per turn. It returns true if there
 * may be more.
 */
export function ledgerTask(context: Context): () => Promise<boolean> {
  let after: OrderKey | null = null;
  return async () => {
    const orders = await listWithoutLedger(context.db, after, atOnce);
    for (const { storeId, orderId } of orders) await ensureLedger(context, storeId, orderId);
    after = orders.at(-1) ?? null;
    return orders.length === atOnce;
  };
}
