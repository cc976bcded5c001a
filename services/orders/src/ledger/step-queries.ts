import { newId } from '@waybill/contracts';
import { changedAt } from '@waybill/kernel';
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

export type StepRow = Selectable<Tables['payment_step']>;

/** A step that a provider is to take. */
export interface NewStep {
  paymentId: string;
  orderId: string;
  kind: StepRow['kind'];
  amountCents: number;
  refundId?: string | null;
  reason?: StepRow['reason'];
  requestKey?: string | null;
}

const selectSteps = (db: Db, storeId: string) =>
  db.selectFrom('payment_step').where('store_id', '=', storeId);

/** Inserts a step that is due at once, and returns its row. */
export async function insertStep(
  trx: Trx,
  storeId: string,
  { paymentId, orderId, kind, amountCents, refundId = null, reason = null, requestKey = null }: NewStep,
): Promise<StepRow> {
  const now = new Date();
  if (requestKey !== null) await forgetOldKey(trx, storeId, requestKey);
  return trx
    .insertInto('payment_step')
    .values({
      store_id: storeId,
      id: newId('paymentStep'),
      payment_id: paymentId,
      order_id: orderId,
      kind,
      amount_cents: amountCents,
      refund_id: refundId,
      reason,
      request_key: requestKey,
      due_at: now,
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Finds a step by its id. */
export function findStep(db: Db, storeId: string, id: string): Promise<StepRow | undefined> {
  return selectSteps(db, storeId).selectAll().where('id', '=', id).executeTakeFirst();
}

/** Finds the step that a request with this key has begun. A key is valid as long as its answer is stored. */
export function findStepOfRequest(db: Db, storeId: string, requestKey: string): Promise<StepRow | undefined> {
  return selectSteps(db, storeId)
    .selectAll()
    .where('request_key', '=', requestKey)
    .where('created_at', '>', oldestValidKeyTime())
    .executeTakeFirst();
}

const keyHours = 24;

/**
 * Returns the instant after which keys are still valid, so that a repeated request finds its step: `decisions.md 11.2`.
 */
export const oldestValidKeyTime = (): Date => new Date(Date.now() - keyHours * 3_600_000);

/** Releases an expired key for another request. */
async function forgetOldKey(trx: Trx, storeId: string, requestKey: string): Promise<void> {
  await trx
    .updateTable('payment_step')
    .set({ request_key: null })
    .where('store_id', '=', storeId)
    .where('request_key', '=', requestKey)
    .where('created_at', '<=', oldestValidKeyTime())
    .execute();
}

/** Lists the steps of a refund, oldest first. */
export function listStepsOfRefund(db: Db, storeId: string, refundId: string): Promise<StepRow[]> {
  return selectSteps(db, storeId).selectAll().where('refund_id', '=', refundId).orderBy('id').execute();
}

/** Lists the steps of a payment that have no answer yet, oldest first. */
export function listPendingSteps(db: Db, storeId: string, paymentId: string): Promise<StepRow[]> {
  return selectSteps(db, storeId)
    .selectAll()
    .where('payment_id', '=', paymentId)
    .where('state', '=', 'pending')
    .orderBy('id')
    .execute();
}

/**
 * Claims a pending step for one call to its provider; no task claims it until `until`. Returns undefined if the step
 * already has an answer, or with `onlyDue` if it is not due.
 */
export function claimStep(
  db: Db,
  storeId: string,
  id: string,
  until: Date,
  { onlyDue = false } = {},
): Promise<StepRow | undefined> {
  return db
    .updateTable('payment_step')
    .set((eb) => ({ attempts: eb('attempts', '+', 1), due_at: until, is_unattended: onlyDue }))
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .$if(onlyDue, (claim) => claim.where('due_at', '<=', new Date()))
    .returningAll()
    .executeTakeFirst();
}

/** Records that no request waits for the answer to a step any more. Returns false if the step already has an answer. */
export async function markStepUnattended(db: Db, storeId: string, id: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('payment_step')
    .set({ is_unattended: true })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Stores the answer to a step that had none. Returns the step, or undefined if it already had an answer. */
export async function storeStepAnswer(
  trx: Trx,
  storeId: string,
  id: string,
  state: 'done' | 'failed',
  failure: object | null,
): Promise<StepRow | undefined> {
  return trx
    .updateTable('payment_step')
    .set({ state, failure: failure && JSON.stringify(failure), updated_at: changedAt(new Date()) })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .returningAll()
    .executeTakeFirst();
}

/** Lists due steps, oldest first, across all stores by design. */
export function listDueSteps(db: Db, limit: number): Promise<Pick<StepRow, 'store_id' | 'id'>[]> {
  return db
    .selectFrom('payment_step')
    .select(['store_id', 'id'])
    .where('state', '=', 'pending')
    .where('due_at', '<=', sql<Date>`now()`)
    .orderBy('due_at')
    .limit(limit)
    .execute();
}
