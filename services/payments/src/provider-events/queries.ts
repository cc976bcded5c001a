import { deleteBatch } from '@waybill/kernel';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { MethodRow } from '../records/session-queries.ts';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;

/** Finds a method by its id alone, which is all that the address for events contains; also finds deleted methods. */
export function findMethodOfEvents(db: Db, id: string): Promise<MethodRow | undefined> {
  return db.selectFrom('payment_method').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Stores an event. Returns whether it was new. */
export async function insertEvent(
  trx: Transaction<Tables>,
  storeId: string,
  event: { method_id: string; event_id: string; type: string; payment_id: string | null; received_at: Date },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await trx
    .insertInto('provider_event')
    .values({ store_id: storeId, ...event })
    .onConflict((conflict) => conflict.columns(['store_id', 'method_id', 'event_id']).doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows > 0n;
}

/** Deletes up to `limit` events that are older than this many days. Returns whether there may be more. */
export const deleteOldEvents = (db: Db, days: number, limit: number): Promise<boolean> =>
  deleteBatch(db, 'provider_event', sql`received_at < now() - make_interval(days => ${days})`, limit);
