import { type EventData, type EventDefinition, newId } from '@waybill/contracts';
import type { AnyTransaction } from '../db/database.ts';
import { markEmitting } from '../db/emitting.ts';
import { prepare } from '../db/statements.ts';
import { currentTrace } from '../operations/trace.ts';

/** An event that a statement writes to the outbox, except for the store and the data. */
export interface Emission {
  event_id: string;
  event_name: string;
  event_trace: string | null;
}

const insertEvent = prepare(
  'outbox-insert',
  'insert into outbox (event_id, name, trace, store_id, data) values ($1, $2, $3, $4, $5)',
);

/** Returns an event's data as JSON; existing JSON text stays as it is. */
const toJsonText = (data: object): string =>
  'json' in data && typeof data.json === 'string' ? data.json : JSON.stringify(data);

/**
 * Records a domain event in the caller's transaction: it is published if and only if that commits. `data` may be JSON
 * text that the database has already made.
 */
export async function emit<E extends EventDefinition>(
  trx: AnyTransaction,
  event: E,
  storeId: string,
  data: EventData<E> | { json: string },
): Promise<void> {
  const text = toJsonText(data);
  const { event_id, event_name, event_trace } = createEmission(trx, event, currentTrace());
  await trx.executeQuery(insertEvent([event_id, event_name, event_trace, storeId, text]));
}

const insertEvents = prepare(
  'outbox-insert-all',
  `insert into outbox (event_id, name, store_id, trace, data)
   select event.id, $1, event.store_id, $2, event.data
   from unnest($3::text[], $4::text[], $5::text[]) as event (id, store_id, data)`,
);

/**
 * Records an event for each thing or store that a change affects, as `emit` does: in this order and in one statement.
 */
export async function emitAll<E extends EventDefinition>(
  trx: AnyTransaction,
  event: E,
  entries: readonly { storeId: string; data: EventData<E> | { json: string } }[],
): Promise<void> {
  if (entries.length === 0) return;
  markEmitting(trx);
  const each = [entries.map(() => newId('event')), entries.map(({ storeId }) => storeId)];
  const data = entries.map((one) => toJsonText(one.data));
  await trx.executeQuery(insertEvents([event.name, currentTrace() ?? null, ...each, data]));
}

/**
 * Prepares the event of a change on which other writes wait. A statement of the caller, which also makes the event's
 * data, writes it with `insertEmissions`; the commit publishes it. `trace` is the trace of the request.
 */
export function createEmission(
  trx: AnyTransaction,
  event: EventDefinition,
  trace: string | undefined,
): Emission {
  markEmitting(trx);
  return { event_id: newId('event'), event_name: event.name, event_trace: trace ?? null };
}

const insertEach = prepare(
  'outbox-insert-each',
  `insert into outbox (event_id, name, trace, store_id, data)
   select event.id, event.name, event.trace, $1, event.data
   from unnest($2::text[], $3::text[], $4::text[], $5::text[]) as event (id, name, trace, data)`,
);

/** Writes prepared events of a store in this order, where the statement of the change does not write them itself. */
export async function insertEmitted(
  trx: AnyTransaction,
  storeId: string,
  emitted: readonly { event: Emission; json: string }[],
): Promise<void> {
  const rows = emitted.map(({ event, json }) => [event.event_id, event.event_name, event.event_trace, json]);
  const [first, ...others] = rows;
  if (!first) return;
  await trx.executeQuery(
    others.length === 0
      ? insertEvent([...first.slice(0, 3), storeId, first[3]])
      : insertEach([storeId, ...first.map((_, column) => rows.map((row) => row[column]))]),
  );
}

/**
 * Returns the part of such a statement that writes the events, in the order of `ordinal`. Each row of its result `from`
 * has the columns of an `Emission`, `store_id`, `ordinal`, and the event's data as `json`.
 */
export const insertEmissions = (from: string): string =>
  `insert into outbox (event_id, name, store_id, trace, data)
   select event_id, event_name, store_id, event_trace, json from ${from} order by ordinal`;
