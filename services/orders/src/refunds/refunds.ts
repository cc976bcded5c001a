import type { Principal, Refund } from '@waybill/contracts';
import type { RouteRequest } from '@waybill/kernel';
import type { Context, Write } from '../config.ts';
import { errors } from '../errors.ts';
import { findStepOfRequest, listStepsOfRefund } from '../ledger/step-queries.ts';
import { openLedger, recordOrderAudit, updateFromLedger } from '../orders/orders.ts';
import { lockOrder } from '../orders/queries.ts';
import { ensureLedger } from '../payments/payments.ts';
import {
  assertStepSucceeded,
  beginAfterPreviousStep,
  beginProviderRefund,
  createRequestKey,
  runStep,
} from '../payments/steps.ts';
import { type AssertRefundAllowed, createRefundAssertion } from '../refunding/limit.ts';
import { findRefundById, findRefundedSums, findRefundOfRequest } from '../refunding/queries.ts';
import {
  createMissingRefund,
  type RefundDetails,
  refundLockedOrder,
  toRefund,
} from '../refunding/refunding.ts';

/** The refund limit of a request, and the key that identifies it if it has an Idempotency-Key. */
export interface RefundRequest {
  assertAllowed: AssertRefundAllowed;
  requestKey: string | null;
}

/**
 * Answers a request for a refund, which `refund` makes in one transaction. No transaction waits for a provider: a
 * repeated request finds by its key what the first one began.
 * @throws the errors of `refund`, provider_refused, resource_unavailable
 */
export async function requestRefund(
  context: Context,
  request: Pick<RouteRequest, 'storeId' | 'headers' | 'url' | 'idempotentWrite'> & {
    principal: Principal;
    body: unknown;
  },
  orderId: string,
  refund: (write: Write, terms: RefundRequest) => Promise<Refund>,
): Promise<{ refund: Refund }> {
  const { principal, storeId, body, idempotentWrite } = request;
  await idempotentWrite.begin(body);
  const assertAllowed = await createRefundAssertion(context, principal, storeId);
  const requestKey = createRequestKey(request);
  const begin = () =>
    context.write(async (write) => {
      if (requestKey !== null && (await lockOrder(write.trx, storeId, orderId))) {
        const begun = await findBegun(write.trx, storeId, requestKey);
        if (begun !== undefined) return begun;
      }
      return (await refund(write, { assertAllowed, requestKey })).id;
    });
  const refundId = await beginAfterPreviousStep(context, storeId, begin);
  const answer = { refund: await runRefundSteps(context, storeId, refundId) };
  return idempotentWrite.commit(async () => answer);
}

/** Finds the refund that a request with this key has made, wherever the request was interrupted. */
async function findBegun(
  db: Context['db'],
  storeId: string,
  requestKey: string,
): Promise<string | undefined> {
  const stored = await findRefundOfRequest(db, storeId, requestKey);
  // The previous version stores the key only with the step.
  return stored?.id ?? (await findStepOfRequest(db, storeId, requestKey))?.refund_id ?? undefined;
}

/**
 * Refunds an order or a part of it within the given write. Begins the steps for money that a provider holds; the
 * caller runs them after the commit (`runRefundSteps`).
 * @throws not_found; the errors of `refundLockedOrder`
 */
export async function refundOrder(
  write: Write,
  storeId: string,
  orderId: string,
  requested: RefundDetails,
  { assertAllowed, requestKey }: RefundRequest,
): Promise<Refund> {
  const order = await lockOrder(write.trx, storeId, orderId);
  if (!order) throw errors.not_found();
  const ledger = await openLedger(write, storeId, order);
  // A key identifies only one step.
  let key = requestKey;
  const refund = await refundLockedOrder(write, storeId, { order, ledger }, requested, {
    assertAllowed,
    requestKey,
    beginAtProvider: async (payment, amountCents, refundId) => {
      await beginProviderRefund(write.trx, storeId, payment, { amountCents, refundId, requestKey: key });
      key = null;
    },
  });
  await updateFromLedger(write, storeId, order, ledger);
  await recordOrderAudit(write, storeId, 'refund.created', refund.id, order);
  return refund;
}

/**
 * Lets the providers take the steps of a refund. Returns the refund afterwards.
 * @throws provider_refused if no money moved
 */
async function runRefundSteps(context: Context, storeId: string, refundId: string): Promise<Refund> {
  for (const { id } of await listStepsOfRefund(context.db, storeId, refundId)) {
    const outcome = await runStep(context, storeId, id);
    const refund = await findRefundById(context.db, storeId, refundId);
    if (refund?.state === 'failed') assertStepSucceeded(outcome);
  }
  return toRefund((await findRefundById(context.db, storeId, refundId))!);
}

/**
 * Creates the missing refunds of an order, so that they can be read.
 * @throws not_found
 */
export async function ensureRefunds(context: Context, storeId: string, orderId: string): Promise<void> {
  await ensureLedger(context, storeId, orderId);
  const sums = await findRefundedSums(context.db, storeId, orderId);
  if (!sums) throw errors.not_found();
  if ((sums.refundedCents ?? 0) <= sums.coveredCents) return;
  await context.write(async (write) => {
    const order = await lockOrder(write.trx, storeId, orderId);
    if (order) await createMissingRefund(write, storeId, order, await openLedger(write, storeId, order));
  });
}
