import { changedAt, claimByStore, ofStore } from '@waybill/kernel';
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';

// A sweep visits one app's installs over all stores, so these queries name no store.
type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

export async function insertSweep(db: Db, sweep: { app_id: string; is_suspension: boolean }): Promise<void> {
  await db.insertInto('install_sweep').values(sweep).execute();
}

/**
 * Returns the oldest sweep, locked until the transaction ends. For a named app, waits for a process that works on it,
 * and returns undefined when that finishes it. Otherwise skips sweeps that other processes work on.
 */
export function claimSweep(trx: Trx, appId?: string) {
  const oldest = trx.selectFrom('install_sweep').selectAll().orderBy('id').limit(1).forUpdate();
  return appId === undefined
    ? oldest.skipLocked().executeTakeFirst()
    : oldest.where('app_id', '=', appId).executeTakeFirst();
}

export async function advanceSweep(trx: Trx, id: number, afterStoreId: string): Promise<void> {
  await trx.updateTable('install_sweep').set({ after_store_id: afterStoreId }).where('id', '=', id).execute();
}

export async function deleteSweep(trx: Trx, id: number): Promise<void> {
  await trx.deleteFrom('install_sweep').where('id', '=', id).execute();
}

/** Returns the stores that have an install of the app, in order. */
export async function listStoresOfApp(
  db: Db,
  appId: string,
  afterStoreId: string,
  limit: number,
): Promise<string[]> {
  const rows = await db
    .selectFrom('install')
    .select('store_id')
    .where('app_id', '=', appId)
    .where('store_id', '>', afterStoreId)
    .orderBy('store_id')
    .limit(limit)
    .execute();
  return rows.map(({ store_id }) => store_id);
}

/**
 * Returns the next installs of the app that are not uninstalled, ordered by store and locked until the transaction
 * ends.
 */
export function lockNextInstalls(trx: Trx, appId: string, afterStoreId: string, limit: number) {
  return claimByStore(trx, {
    limit,
    stores: (limit) => sql`
      select store_id as "storeId" from install
      where app_id = ${appId} and store_id > ${afterStoreId} and state <> 'uninstalled'
      order by store_id limit ${limit}`,
    claim: (storeId, limit) => lockInstalls(trx, { appId, afterStoreId, storeId, limit }),
  });
}

interface InstallsToLock {
  appId: string;
  afterStoreId: string;
  /** Null for any store. */
  storeId: string | null;
  limit: number;
}

function lockInstalls(trx: Trx, { appId, afterStoreId, storeId, limit }: InstallsToLock) {
  return trx
    .selectFrom('install')
    .innerJoin('app_version', 'app_version.id', 'install.version_id')
    .select([
      'install.store_id',
      'install.id',
      'install.state',
      'install.granted_scopes',
      'install.held_number',
      'install.is_development',
      'app_version.number as version_number',
      'app_version.connect_origins',
    ])
    .where('install.app_id', '=', appId)
    .where('install.store_id', '>', afterStoreId)
    .where('install.state', '<>', 'uninstalled')
    .where(ofStore(storeId, 'install.store_id'))
    .orderBy('install.store_id')
    .limit(limit)
    .forNoKeyUpdate('install')
    .execute();
}
export type SweptInstall = Awaited<ReturnType<typeof lockNextInstalls>>[number];

/** A version that an install may move to. */
export type CandidateVersion = Pick<
  Selectable<Tables['app_version']>,
  'id' | 'number' | 'scopes' | 'connect_origins'
>;

/** Returns every version that can currently be installed. */
export function listApproved(db: Db, appId: string): Promise<CandidateVersion[]> {
  return db
    .selectFrom('app_version')
    .select(['id', 'number', 'scopes', 'connect_origins'])
    .where('app_id', '=', appId)
    .where('state', '=', 'approved')
    .execute();
}

/** Updates the time of installs whose shown state changed with their app. */
export async function updateInstallTimes(
  trx: Trx,
  appId: string,
  installs: readonly SweptInstall[],
): Promise<void> {
  if (installs.length === 0) return;
  await trx
    .updateTable('install')
    .set({ updated_at: changedAt(new Date()) })
    .where('app_id', '=', appId)
    .where(
      'store_id',
      'in',
      installs.map(({ store_id }) => store_id),
    )
    .execute();
}

/** Moves installs to versions, with the scopes that those ask for. */
export async function updateInstallVersions(
  trx: Trx,
  moves: readonly { install: SweptInstall; version: CandidateVersion }[],
): Promise<void> {
  for (const [version, group] of Map.groupBy(moves, (move) => move.version)) {
    await trx
      .updateTable('install')
      .set({
        version_id: version.id,
        granted_scopes: version.scopes,
        held_number: null,
        updated_at: changedAt(new Date()),
      })
      .where((eb) =>
        eb(
          eb.refTuple('store_id', 'id'),
          'in',
          group.map(({ install }) => eb.tuple(install.store_id, install.id)),
        ),
      )
      .execute();
  }
}
