import type { EventMessage } from '@waybill/contracts';
import { sql } from 'kysely';
import type { AnyDatabase, AnyTransaction } from '../db/database.ts';

/**
 * Of a batch of events those that `consumer` has not handled before, and records them as handled in the same
 * transaction as the writes they lead to: a redelivery changes nothing.
 */
export async function once(
  trx: AnyTransaction,
  consumer: string,
  events: readonly EventMessage[],
): Promise<EventMessage[]> {
  const { rows } = await sql<{ event_id: string }>`
    insert into handled_event (consumer, event_id)
    select ${consumer}, id from unnest(${events.map(({ id }) => id)}::text[]) as id
    on conflict do nothing returning event_id`.execute(trx);
  const fresh = new Set(rows.map((row) => row.event_id));
  return events.filter(({ id }) => fresh.delete(id));
}

/** No event comes again after this long. */
const keptDays = 7;

/** Forgets what was handled long ago, up to some thousands at a time; whether there may be more. */
export async function forgetHandled(db: AnyDatabase): Promise<boolean> {
  const batch = 5000;
  const { numAffectedRows = 0n } = await sql`
    delete from handled_event where ctid in (
      select ctid from handled_event where handled_at < now() - make_interval(days => ${keptDays}) limit ${batch}
    )`.execute(db);
  return numAffectedRows === BigInt(batch);
}
