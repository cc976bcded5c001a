import { type PaymentFact, PaymentFactRecorded } from '@waybill/contracts';
import type { Context, Write } from '../config.ts';
import { recordedFacts } from '../metrics.ts';
import { findReversedReference } from '../providers/port.ts';
import { hasFact, insertFacts } from '../records/fact-queries.ts';

/** Stores new facts and reports each of them to orders. Ignores known facts. */
export function recordFacts(
  { write }: Pick<Context, 'write'>,
  storeId: string,
  facts: readonly PaymentFact[],
  before?: (context: Write) => Promise<unknown>,
): Promise<void> {
  return write(async (context: Write) => {
    await before?.(context);
    await recordFactsWith(context, storeId, facts);
  });
}

/** Does the same as `recordFacts` within a write. */
export async function recordFactsWith(
  { trx, emit, afterCommit }: Write,
  storeId: string,
  facts: readonly PaymentFact[],
): Promise<void> {
  const added = await insertFacts(trx, storeId, await dropOrphanedReversals(trx, storeId, facts));
  for (const fact of added) {
    await emit(PaymentFactRecorded, storeId, { fact });
    afterCommit(() => recordedFacts.inc({ kind: fact.kind }));
  }
}

/** Drops facts that reverse a refund which never succeeded: a refund that failed at once has moved no money. */
export async function dropOrphanedReversals(
  db: Context['db'],
  storeId: string,
  facts: readonly PaymentFact[],
): Promise<PaymentFact[]> {
  const remaining: PaymentFact[] = [];
  for (const fact of facts) {
    const reversed = findReversedReference(fact);
    if (reversed === null || (await hasFact(db, storeId, fact.paymentId, 'refunded', reversed)))
      remaining.push(fact);
  }
  return remaining;
}
