import { claimByStore, ofStore } from '@waybill/kernel';
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';

// Apps and organisations belong to no store, and the data of a deleted app is spread over all stores, so these queries
// name no store.
type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

/** Whether a store has the app installed, available there or not. */
export async function isAppInstalled(db: Db, appId: string): Promise<boolean> {
  const row = await db
    .selectFrom('install')
    .select('id')
    .where('app_id', '=', appId)
    .where('state', '<>', 'uninstalled')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether a store has this version installed. */
export async function isVersionInstalled(db: Db, versionId: string): Promise<boolean> {
  const row = await db
    .selectFrom('install')
    .select('id')
    .where('version_id', '=', versionId)
    .where('state', '<>', 'uninstalled')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Deletes a version with its islands. */
export async function deleteVersionRow(trx: Trx, versionId: string): Promise<void> {
  await trx.deleteFrom('app_version').where('id', '=', versionId).execute();
}

/** Deletes an app with its versions. */
export async function deleteAppRow(trx: Trx, appId: string): Promise<void> {
  await trx.deleteFrom('app').where('id', '=', appId).execute();
}

/** Records that the data of an app in stores must be deleted. */
export async function insertDeletedApp(trx: Trx, appId: string): Promise<void> {
  await trx.insertInto('deleted_app').values({ id: appId }).execute();
}

/**
 * Returns a deleted app that may have left data and that no other process works on, locked until the transaction ends.
 */
export async function claimDeletedApp(trx: Trx): Promise<string | undefined> {
  const row = await trx
    .selectFrom('deleted_app')
    .select('id')
    .orderBy('id')
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  return row?.id;
}

export async function deleteDeletedAppRow(trx: Trx, appId: string): Promise<void> {
  await trx.deleteFrom('deleted_app').where('id', '=', appId).execute();
}

type InstallKey = Pick<Selectable<Tables['install']>, 'store_id' | 'id'>;

export function listInstallsToDelete(trx: Trx, appId: string, limit: number): Promise<InstallKey[]> {
  return claimByStore<InstallKey>(trx, {
    limit,
    stores: (limit) => sql`
      select store_id as "storeId" from install where app_id = ${appId} order by store_id limit ${limit}`,
    claim: (storeId, limit) =>
      trx
        .selectFrom('install')
        .select(['store_id', 'id'])
        .where('app_id', '=', appId)
        .where(ofStore(storeId))
        .orderBy('store_id')
        .limit(limit)
        .forUpdate()
        .execute(),
  });
}

/** Deletes installs of an app with their credentials and the app's values in their stores. */
export async function deleteInstalls(
  trx: Trx,
  appId: string,
  installs: readonly InstallKey[],
): Promise<void> {
  const stores = installs.map(({ store_id }) => store_id);
  const ids = installs.map(({ id }) => id);
  await sql`delete from app_data where app_id = ${appId} and store_id = any(${stores}::text[])`.execute(trx);
  for (const table of ['oauth_code', 'token_family', 'report_token'] as const) {
    await sql`
      delete from ${sql.table(table)} where (store_id, install_id) in (
        select store_id, id from unnest(${stores}::text[], ${ids}::text[]) as gone (store_id, id)
      )`.execute(trx);
  }
  await sql`delete from install where app_id = ${appId} and store_id = any(${stores}::text[])`.execute(trx);
}

/** Whether an organisation has an app. */
export async function hasApps(db: Db, orgId: string): Promise<boolean> {
  const row = await db.selectFrom('app').select('id').where('org_id', '=', orgId).limit(1).executeTakeFirst();
  return row !== undefined;
}

/** Deletes an organisation with its members and invitations. */
export function deleteOrgRow(trx: Trx, orgId: string): Promise<{ name: string }> {
  return trx.deleteFrom('organisation').where('id', '=', orgId).returning('name').executeTakeFirstOrThrow();
}
