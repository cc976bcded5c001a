import { type PaymentFact, PaymentFactRecorded } from '@waybill/contracts';
import type { Context, Write } from '../config.ts';
import { recordedFacts } from '../metrics.ts';
import { reversedBy } from '../providers/port.ts';
import { hasFact, insertFact } from '../records/fact-queries.ts';

/** Stores facts that are not known yet, and has orders hear of each. */
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

/** `recordFacts` as a part of a write. */
export async function recordFactsWith(
  { trx, emit, afterCommit }: Write,
  storeId: string,
  facts: readonly PaymentFact[],
): Promise<void> {
  for (const fact of await withoutVain(trx, storeId, facts)) {
    if (!(await insertFact(trx, storeId, fact))) continue;
    await emit(PaymentFactRecorded, storeId, { fact });
    afterCommit(() => recordedFacts.inc({ kind: fact.kind }));
  }
}

/** Facts without those that take back a refund which never succeeded: one that failed at once has moved nothing. */
export async function withoutVain(
  db: Context['db'],
  storeId: string,
  facts: readonly PaymentFact[],
): Promise<PaymentFact[]> {
  const kept: PaymentFact[] = [];
  for (const fact of facts) {
    const reversed = reversedBy(fact);
    if (reversed === null || (await hasFact(db, storeId, fact.paymentId, 'refunded', reversed)))
      kept.push(fact);
  }
  return kept;
}
