import type { FilterCondition, Principal } from '@waybill/contracts';
import {
  byTime,
  changedAt,
  claimByStore,
  ofStore,
  type PageQuery,
  parsePage,
  readList,
} from '@waybill/kernel';
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

/**
 * Selects the endpoints of a store that the principal may see and change: an app only its own, others all
 * (`decisions.md 12.2`).
 */
const endpointsFor = (db: Db, storeId: string, principal: Principal) =>
  db
    .selectFrom('webhook_endpoint')
    .where('store_id', '=', storeId)
    .where((eb) => (principal.kind === 'app' ? eb('app_id', '=', principal.appId) : eb.lit(true)));

/** Returns an endpoint, or null when there is none with that id. */
export async function findEndpoint(
  db: Db,
  storeId: string,
  principal: Principal,
  id: string,
): Promise<Endpoint | null> {
  const all = endpointsFor(db, storeId, principal);
  return (await all.selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
}

/** Returns an endpoint and locks it until the transaction ends. */
export async function lockEndpoint(
  trx: Trx,
  storeId: string,
  principal: Principal,
  id: string,
): Promise<Endpoint | null> {
  const all = endpointsFor(trx, storeId, principal);
  return (await all.selectAll().where('id', '=', id).forUpdate().executeTakeFirst()) ?? null;
}

/**
 * Returns a page of endpoints, newest first, and their total number.
 * @throws invalid_cursor
 */
export function listEndpoints(db: Db, storeId: string, principal: Principal, query: PageQuery) {
  const all = endpointsFor(db, storeId, principal);
  const scope = [storeId, principal.kind === 'app' ? principal.appId : null];
  return readList(all.selectAll(), all, parsePage('webhooks', scope, query, byTime('desc')));
}

/** Returns the number of a store's endpoints, and keeps others from adding one until the transaction ends. */
export async function lockEndpointCount(trx: Trx, storeId: string): Promise<number> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${storeId}, 0))`.execute(trx);
  return countEndpoints(trx, storeId);
}

export async function countEndpoints(db: Db, storeId: string): Promise<number> {
  const { total } = await db
    .selectFrom('webhook_endpoint')
    .where('store_id', '=', storeId)
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return total;
}

/** Writes the filter as JSON text, because the driver would turn a list into a PostgreSQL array. */
const filterColumn = ({ filter }: Pick<Updateable<Tables['webhook_endpoint']>, 'filter'>) =>
  filter ? { filter: sql<FilterCondition[]>`${JSON.stringify(filter)}::jsonb` } : {};

export function insertEndpoint(
  trx: Trx,
  storeId: string,
  endpoint: Omit<Insertable<Tables['webhook_endpoint']>, 'store_id'>,
): Promise<Endpoint> {
  return trx
    .insertInto('webhook_endpoint')
    .values({ store_id: storeId, ...endpoint, ...filterColumn(endpoint) })
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
    .set({ ...changes, ...filterColumn(changes), updated_at: changedAt(new Date()) })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deleteEndpointRow(trx: Trx, storeId: string, id: string): Promise<void> {
  await trx.deleteFrom('webhook_endpoint').where('store_id', '=', storeId).where('id', '=', id).execute();
}

/** The sealed secrets of an endpoint. */
export interface SealedSecrets {
  store_id: string;
  id: string;
  sealed_secret: string;
  sealed_previous_secret: string | null;
  sealed_settings: string | null;
}

/**
 * Lists the sealed secrets of endpoints of all stores, by their key, starting after `after`; null starts at the first.
 */
export function listSealedSecrets(
  db: Db,
  after: SealedSecrets | null,
  limit: number,
): Promise<SealedSecrets[]> {
  return db
    .selectFrom('webhook_endpoint')
    .select(['store_id', 'id', 'sealed_secret', 'sealed_previous_secret', 'sealed_settings'])
    .where(sql<boolean>`(store_id, id) > (${after?.store_id ?? ''}, ${after?.id ?? ''})`)
    .orderBy('store_id')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Replaces the secrets in `previous` by the same ones sealed with the current key, unless they have changed. */
export async function replaceSealedSecrets(
  db: Db,
  previous: SealedSecrets,
  sealed: Pick<SealedSecrets, 'sealed_secret' | 'sealed_previous_secret' | 'sealed_settings'>,
): Promise<void> {
  // This is no change of the endpoint, so neither its time nor its revision moves.
  await db
    .updateTable('webhook_endpoint')
    .set(sealed)
    .where('store_id', '=', previous.store_id)
    .where('id', '=', previous.id)
    .where('sealed_secret', '=', previous.sealed_secret)
    .where(sql<boolean>`sealed_previous_secret is not distinct from ${previous.sealed_previous_secret}`)
    .where(sql<boolean>`sealed_settings is not distinct from ${previous.sealed_settings}`)
    .execute();
}

/**
 * Deletes up to `limit` former secrets whose overlap is over. Returns whether there may be more (`decisions.md 12.4`).
 */
export async function deleteFormerSecrets(db: Db, limit: number): Promise<boolean> {
  // This does not change the endpoint, so its waiting calls continue.
  const changed = await claimByStore<object>(db, {
    limit,
    stores: (maxStores) => sql`
      select store_id as "storeId" from webhook_endpoint where previous_secret_expires_at <= now() limit ${maxStores}`,
    async claim(storeId, maxRows) {
      const { rows } = await sql<object>`
        update webhook_endpoint set sealed_previous_secret = null, previous_secret_expires_at = null
        where ${ofStore(storeId)} and (store_id, id) in (
          select store_id, id from webhook_endpoint where previous_secret_expires_at <= now() and ${ofStore(storeId)}
          limit ${maxRows} for update skip locked
        ) returning id`.execute(db);
      return rows;
    },
  });
  return changed.length >= limit;
}
