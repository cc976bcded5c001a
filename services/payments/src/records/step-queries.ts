import { changedAt } from '@waybill/kernel';
import type { Kysely, Selectable, Transaction } from 'kysely';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

export type StepRow = Selectable<Tables['payment_step']>;

/** Inserts a request to an app. Returns whether it was new. */
export async function insertStep(
  trx: Trx,
  storeId: string,
  {
    id,
    paymentId,
    kind,
    amountCents,
  }: { id: string; paymentId: string; kind: StepRow['kind']; amountCents: number },
): Promise<boolean> {
  const now = new Date();
  const { numInsertedOrUpdatedRows = 0n } = await trx
    .insertInto('payment_step')
    .values({
      store_id: storeId,
      id,
      payment_id: paymentId,
      kind,
      amount_cents: amountCents,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.columns(['store_id', 'id']).doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows > 0n;
}

export function findStep(db: Db, storeId: string, id: string): Promise<StepRow | undefined> {
  return db
    .selectFrom('payment_step')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Lists the unanswered requests to an app about a payment, oldest first. */
export function listOpenSteps(db: Db, storeId: string, paymentId: string): Promise<StepRow[]> {
  return db
    .selectFrom('payment_step')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('payment_id', '=', paymentId)
    .where('outcome', '=', 'pending')
    .where('kind', '<>', 'session')
    .orderBy('id')
    .execute();
}

/** Whether the app has answered its newest step of this kind. With null: whether it has refused its newest step. */
export async function hasAnsweredStep(
  trx: Trx,
  storeId: string,
  paymentId: string,
  kind: StepRow['kind'] | null,
): Promise<boolean> {
  const steps = trx
    .selectFrom('payment_step')
    .select('outcome')
    .where('store_id', '=', storeId)
    .where('payment_id', '=', paymentId)
    .where('kind', '<>', 'session')
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1);
  const newest = await (kind === null ? steps : steps.where('kind', '=', kind)).executeTakeFirst();
  return (
    newest !== undefined && (kind === null ? newest.outcome === 'refused' : newest.outcome !== 'pending')
  );
}

export async function answerStep(
  trx: Trx,
  storeId: string,
  id: string,
  outcome: 'done' | 'refused',
  failure: object | null,
): Promise<void> {
  await trx
    .updateTable('payment_step')
    .set({ outcome, failure: failure && JSON.stringify(failure), updated_at: changedAt(new Date()) })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .execute();
}
