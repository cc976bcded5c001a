import type { EventMessage } from '@waybill/contracts';
import type { AnyTransaction } from '../db/database.ts';
import type { PartitionedTable } from '../db/partitions.ts';
import { prepare } from '../db/statements.ts';

const insertHandled = prepare<{ event_id: string }, { consumer: string; ids: readonly string[] }>(
  'handled-event-insert',
  ($) => `insert into handled_event (consumer, event_id)
   select ${$.consumer}, id from unnest(${$.ids}::text[]) as id
   on conflict do nothing returning event_id`,
);

/**
 * Returns the events of a batch that `consumer` has not handled before, and records them as handled in the transaction
 * of the writes that they cause, so that a redelivery changes nothing.
 */
export async function claimNewEvents(
  trx: AnyTransaction,
  consumer: string,
  events: readonly EventMessage[],
): Promise<EventMessage[]> {
  const { rows } = await trx.executeQuery(insertHandled({ consumer, ids: events.map(({ id }) => id) }));
  const newIds = new Set(rows.map((row) => row.event_id));
  return events.filter(({ id }) => newIds.delete(id));
}

/** After this many days, no event is delivered again. */
const retentionDays = 7;

/** The handled events, partitioned by the day on which the events were made. */
export const handledEvents: PartitionedTable = {
  table: 'handled_event',
  column: 'event_id',
  ids: 'event',
  every: 'day',
  retentionMs: retentionDays * 86_400_000,
  expiredCondition: `handled_at < now() - interval '${retentionDays} days'`,
};
