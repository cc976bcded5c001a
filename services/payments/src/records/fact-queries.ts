import type { PaymentFact } from '@waybill/contracts';
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;

export type FactRow = Selectable<Tables['payment_fact']>;

/** Converts a fact to the shape that other services use. */
export const toFact = (row: FactRow): PaymentFact => ({
  paymentId: row.payment_id,
  kind: row.kind as PaymentFact['kind'],
  reference: row.reference,
  amountCents: row.amount_cents,
  at: row.at.toISOString(),
  method: row.method,
  failure: row.failure as PaymentFact['failure'],
  stepId: row.step_id,
});

/** Inserts facts. Returns the ones that were new. */
export async function insertFacts(
  trx: Transaction<Tables>,
  storeId: string,
  facts: readonly PaymentFact[],
): Promise<PaymentFact[]> {
  if (facts.length === 0) return [];
  const rows = await trx
    .insertInto('payment_fact')
    .values(
      facts.map(({ paymentId, kind, reference, amountCents, at, method, failure, stepId }) => ({
        store_id: storeId,
        payment_id: paymentId,
        kind,
        reference,
        amount_cents: amountCents,
        at: new Date(at),
        method,
        failure: failure && JSON.stringify(failure),
        step_id: stepId,
        created_at: new Date(),
      })),
    )
    .onConflict((conflict) => conflict.columns(['store_id', 'payment_id', 'kind', 'reference']).doNothing())
    .returningAll()
    .execute();
  return rows.map(toFact);
}

/** Whether a fact of this kind and reference is stored for a payment. */
export async function hasFact(
  db: Db,
  storeId: string,
  paymentId: string,
  kind: PaymentFact['kind'],
  reference: string,
): Promise<boolean> {
  const found = await db
    .selectFrom('payment_fact')
    .select('kind')
    .where('store_id', '=', storeId)
    .where('payment_id', '=', paymentId)
    .where('kind', '=', kind)
    .where('reference', '=', reference)
    .executeTakeFirst();
  return found !== undefined;
}

export function listFacts(db: Db, storeId: string, paymentId: string): Promise<FactRow[]> {
  return db
    .selectFrom('payment_fact')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('payment_id', '=', paymentId)
    .orderBy('created_at')
    .execute();
}

/** Returns the stored net amount of each payment: captures minus refunds. */
export async function sumNetByPayment(
  db: Db,
  storeId: string,
  paymentIds: readonly string[],
): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('payment_fact')
    .select('payment_id')
    .select(
      sql<number>`sum(case kind when 'captured' then amount_cents when 'refunded' then -amount_cents else 0 end)::bigint`.as(
        'net',
      ),
    )
    .where('store_id', '=', storeId)
    .where(sql<boolean>`payment_id = any(${paymentIds})`)
    .groupBy('payment_id')
    .execute();
  return new Map(rows.map(({ payment_id, net }) => [payment_id, Number(net)]));
}
