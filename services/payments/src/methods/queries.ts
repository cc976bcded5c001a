import { changedAt, type Order, type PageQuery, parsePage, readList } from '@waybill/kernel';
import { type Insertable, type Kysely, sql, type Transaction, type Updateable } from 'kysely';
import type { MethodRow } from '../records/session-queries.ts';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

const byPosition: Order = [
  { column: 'position', type: 'bigint', dir: 'asc' },
  { column: 'id', type: 'text', dir: 'asc' },
];

/** Selects the methods of a store that are not deleted. */
const selectMethods = (db: Db, storeId: string) =>
  db.selectFrom('payment_method').where('store_id', '=', storeId).where('deleted_at', 'is', null);

/**
 * Returns a page of methods by position, and their total number.
 * @throws invalid_cursor
 */
export function listMethods(db: Db, storeId: string, query: PageQuery) {
  const page = parsePage('paymentMethods', [storeId], query, byPosition);
  return readList(selectMethods(db, storeId).selectAll(), selectMethods(db, storeId), page);
}

/** Lists the ids of a store's methods by position. */
export async function listMethodIds(db: Db, storeId: string): Promise<string[]> {
  const rows = await selectMethods(db, storeId).select('id').orderBy('position').orderBy('id').execute();
  return rows.map(({ id }) => id);
}

/** Counts a store's enabled methods. */
export async function countEnabledMethods(db: Db, storeId: string): Promise<number> {
  const { count } = await selectMethods(db, storeId)
    .where('is_enabled', '=', true)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Lists the enabled methods by position, except those of unavailable apps. */
export function listEnabledMethods(db: Db, storeId: string): Promise<MethodRow[]> {
  return selectMethods(db, storeId)
    .where('is_enabled', '=', true)
    .where('is_app_away', '=', false)
    .selectAll()
    .orderBy('position')
    .orderBy('id')
    .execute();
}

export function findMethod(db: Db, storeId: string, id: string): Promise<MethodRow | undefined> {
  return selectMethods(db, storeId).selectAll().where('id', '=', id).executeTakeFirst();
}

/** Lets only one transaction at a time change the list of a store's methods. */
export async function lockMethods(trx: Trx, storeId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${storeId}, 22))`.execute(trx);
}

export async function insertMethod(
  trx: Trx,
  storeId: string,
  method: Omit<Insertable<Tables['payment_method']>, 'store_id'>,
): Promise<void> {
  await trx
    .insertInto('payment_method')
    .values({ store_id: storeId, ...method })
    .execute();
}

export async function updateMethod(
  trx: Trx,
  storeId: string,
  id: string,
  changes: Updateable<Tables['payment_method']>,
): Promise<void> {
  await trx
    .updateTable('payment_method')
    .set({ ...changes, updated_at: changedAt(new Date()) })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .execute();
}

/** Assigns the positions 0, 1, 2, … to the methods in this order. */
export async function renumberMethods(trx: Trx, storeId: string, ids: readonly string[]): Promise<void> {
  await sql`
    update payment_method m set position = placed.position - 1
    from unnest(${ids}::text[]) with ordinality as placed (id, position)
    where m.store_id = ${storeId} and m.id = placed.id and m.position <> placed.position - 1`.execute(trx);
}

/** The sealed secrets of a method. */
export interface SealedSecrets {
  store_id: string;
  id: string;
  sealed_secret_key: string | null;
  sealed_webhook_secret: string | null;
}

/** Lists the secrets of the next methods after one, across all stores; null starts at the first one. */
export function listSealedSecrets(
  db: Db,
  after: SealedSecrets | null,
  limit: number,
): Promise<SealedSecrets[]> {
  return db
    .selectFrom('payment_method')
    .select(['store_id', 'id', 'sealed_secret_key', 'sealed_webhook_secret'])
    .where(sql<boolean>`(store_id, id) > (${after?.store_id ?? ''}, ${after?.id ?? ''})`)
    .where((eb) =>
      eb.or([eb('sealed_secret_key', 'is not', null), eb('sealed_webhook_secret', 'is not', null)]),
    )
    .orderBy('store_id')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Replaces sealed secrets by the same secrets with a new seal, unless the row has changed since it was read. */
export async function replaceSealedSecrets(
  db: Db,
  was: SealedSecrets,
  secretKey: string | null,
  webhookSecret: string | null,
): Promise<void> {
  await db
    .updateTable('payment_method')
    .set({ sealed_secret_key: secretKey, sealed_webhook_secret: webhookSecret })
    .where('store_id', '=', was.store_id)
    .where('id', '=', was.id)
    .where('sealed_secret_key', 'is not distinct from', was.sealed_secret_key)
    .where('sealed_webhook_secret', 'is not distinct from', was.sealed_webhook_secret)
    .execute();
}

/** Records whether the app of methods is unavailable. Returns whether this changed any method. */
export async function setAppUnavailable(
  trx: Trx,
  storeId: string,
  appId: string,
  isAway: boolean,
): Promise<boolean> {
  const { numUpdatedRows } = await trx
    .updateTable('payment_method')
    .set({ is_app_away: isAway })
    .where('store_id', '=', storeId)
    .where('app_id', '=', appId)
    .where('is_app_away', '<>', isAway)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}
