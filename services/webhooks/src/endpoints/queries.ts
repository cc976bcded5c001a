import {
  type Insertable,
  type Kysely,
  type Selectable,
  sql,
  type Transaction,
  type Updateable,
} from 'kysely';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;
export type Endpoint = Selectable<Tables['webhook_endpoint']>;

/** An endpoint, null when the store has none of that id. */
export async function findEndpoint(db: Db, storeId: string, id: string): Promise<Endpoint | null> {
  const row = await db
    .selectFrom('webhook_endpoint')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row ?? null;
}

/** An endpoint, locked until the transaction ends. */
export async function lockEndpoint(trx: Trx, storeId: string, id: string): Promise<Endpoint | null> {
  const row = await trx
    .selectFrom('webhook_endpoint')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  return row ?? null;
}

/** A page of a store's endpoints, newest first, and how many there are. */
export async function listEndpoints(db: Db, storeId: string, page: { limit: number; offset: number }) {
  const all = db.selectFrom('webhook_endpoint').where('store_id', '=', storeId);
  const rows = await all
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  const { total } = await all.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  return { rows, total };
}

/** How many endpoints the store has; nobody else can add one until the transaction ends. */
export async function lockEndpointCount(trx: Trx, storeId: string): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${storeId}, 0))`.execute(trx);
  const { total } = await trx
    .selectFrom('webhook_endpoint')
    .where('store_id', '=', storeId)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

export function insertEndpoint(
  trx: Trx,
  storeId: string,
  endpoint: Omit<Insertable<Tables['webhook_endpoint']>, 'store_id'>,
): Promise<Endpoint> {
  return trx
    .insertInto('webhook_endpoint')
    .values({ store_id: storeId, ...endpoint })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export function updateEndpoint(
  trx: Trx,
  storeId: string,
  id: string,
  changes: Updateable<Tables['webhook_endpoint']>,
): Promise<Endpoint> {
  return trx
    .updateTable('webhook_endpoint')
    .set({ ...changes, updated_at: sql`now()` })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Whether there was one to delete. */
export async function deleteEndpointRow(trx: Trx, storeId: string, id: string): Promise<boolean> {
  const result = await trx
    .deleteFrom('webhook_endpoint')
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}
