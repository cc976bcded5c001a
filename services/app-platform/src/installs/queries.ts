import type {
  AppManifest,
  AppPayments,
  Holder,
  Install,
  InstalledAppReply,
  Rights,
} from '@waybill/contracts';
import { byTime, changedAt, type PageQuery, parsePage, readList } from '@waybill/kernel';
import {
  type Insertable,
  type Kysely,
  type Selectable,
  sql,
  type Transaction,
  type Updateable,
} from 'kysely';
import { type AppRow, isAvailable } from '../apps/queries.ts';
import {
  type InstallRow,
  selectInstalls,
  selectInstallsWithFacts,
  shownState,
} from '../lifecycle/queries.ts';
import type { Tables } from '../tables.ts';
import { everApprovedStates } from '../versions/queries.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

export type InstallChange = Pick<
  Updateable<Tables['install']>,
  | 'version_id'
  | 'granted_scopes'
  | 'state'
  | 'held_number'
  | 'choice'
  | 'is_development'
  | 'is_told_available'
>;

const selectStoreInstalls = (db: Db, storeId: string) =>
  selectInstalls(db).where('install.store_id', '=', storeId);

const selectStoreInstallsWithFacts = (db: Db, storeId: string) =>
  selectInstallsWithFacts(db).where('install.store_id', '=', storeId);

/** Returns the store's install of an app, in any state. */
export function findInstall(db: Db, storeId: string, appId: string): Promise<InstallRow | undefined> {
  return selectStoreInstallsWithFacts(db, storeId).where('install.app_id', '=', appId).executeTakeFirst();
}

/**
 * Locks an install until the transaction ends, so that its changes and its app's writes of data happen one after the
 * other.
 */
export function lockInstall(
  trx: Trx,
  storeId: string,
  appId: string,
): Promise<Selectable<Tables['install']> | undefined> {
  return trx
    .selectFrom('install')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('app_id', '=', appId)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/**
 * Returns a page of a store's installs, newest first, and their total number.
 * @throws invalid_cursor
 */
export function listInstalls(
  db: Db,
  storeId: string,
  query: PageQuery & { state?: Install['state'] | undefined },
) {
  const { state } = query;
  const isOfState = state === undefined ? sql.lit(true) : sql<boolean>`${shownState} = ${state}`;
  return readList(
    selectStoreInstallsWithFacts(db, storeId).where(isOfState),
    selectStoreInstalls(db, storeId).where(isOfState),
    parsePage('installs', [storeId], query, byTime('desc', 'install')),
  );
}

/**
 * Returns a page of an app's installs over all stores, newest first, and their total number.
 * @throws invalid_cursor
 */
export function listInstallsOfApp(
  db: Db,
  { id, suspended_at }: AppRow,
  query: PageQuery & { state?: Install['state'] | undefined },
) {
  const { state } = query;
  const isShown = (ownState: Install['state']) =>
    state === (suspended_at && ownState !== 'uninstalled' ? 'suspended' : ownState);
  const states = (['installed', 'disabled', 'uninstalled'] as const).filter(isShown);
  const ofApp = db
    .selectFrom('install')
    .where('install.app_id', '=', id)
    .$if(state !== undefined, (all) =>
      all.where('install.state', 'in', states.length > 0 ? states : [sql<never>`null`]),
    );
  return readList(
    ofApp
      .innerJoin('app_version', 'app_version.id', 'install.version_id')
      .selectAll('install')
      .select('app_version.number as version_number'),
    ofApp,
    parsePage('app-installs', [id], query, byTime('desc', 'install')),
  );
}

/** Returns the apps that a store has not uninstalled. */
export async function listInstalledApps(db: Db, storeId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('install')
    .select('app_id')
    .where('store_id', '=', storeId)
    .where('state', '<>', 'uninstalled')
    .execute();
  return rows.map(({ app_id }) => app_id);
}

/**
 * Makes additions of apps at developers' versions to a store happen one after the other, until the transaction ends.
 */
export async function lockDevelopmentInstalls(trx: Trx, storeId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${storeId}, ${developmentInstallsLock}))`.execute(
    trx,
  );
}
const developmentInstallsLock = 0x61700002;

/** Returns the number of a store's apps at versions that their developers chose. */
export async function countDevelopmentInstalls(db: Db, storeId: string): Promise<number> {
  const { total } = await db
    .selectFrom('install')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('store_id', '=', storeId)
    .where('is_development', '=', true)
    .where('state', '<>', 'uninstalled')
    .executeTakeFirstOrThrow();
  return total;
}

/** Returns the number of apps that a store has or had; uninstalled ones are kept too. */
export async function countStoreInstalls(db: Db, storeId: string): Promise<number> {
  const { total } = await db
    .selectFrom('install')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('store_id', '=', storeId)
    .executeTakeFirstOrThrow();
  return total;
}

/** Inserts an install. Returns false when another request has installed the app in the meantime. */
export async function insertInstall(
  trx: Trx,
  storeId: string,
  install: Omit<Insertable<Tables['install']>, 'store_id'>,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await trx
    .insertInto('install')
    .values({ store_id: storeId, ...install })
    .onConflict((conflict) => conflict.constraint('install_app_key').doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

export async function updateInstall(
  trx: Trx,
  storeId: string,
  id: string,
  change: InstallChange,
): Promise<void> {
  await trx
    .updateTable('install')
    .set({ ...change, updated_at: changedAt(new Date()) })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .execute();
}

/**
 * Returns the contributions of the available apps of a store, each at its installed version. Manifests of `known`
 * versions are left out if they can no longer change.
 */
export async function listAvailableApps(
  db: Db,
  storeId: string,
  known: readonly string[],
): Promise<InstalledAppReply[]> {
  const isReviewed = sql<boolean>`app_version.state in (${sql.join(everApprovedStates)})`;
  const isKnown = sql`(install.version_id = any(${known}::text[]) and ${isReviewed})`;
  const rows = await selectStoreInstalls(db, storeId)
    .where(sql.raw<boolean>(isAvailable))
    .select(['install.app_id', 'install.version_id', 'install.choice', 'app.name', 'app_version.number'])
    .select(isReviewed.as('is_reviewed'))
    .select(
      sql<AppManifest | null>`case when not ${isKnown} then json_build_object(
        'blocks', app_version.blocks, 'connectOrigins', app_version.connect_origins,
        'islands', coalesce((
          select json_agg(json_build_object('name', name, 'moduleSha256', module_sha256) order by position)
          from island where version_id = install.version_id and module_sha256 is not null
        ), '[]')
      ) end`.as('manifest'),
    )
    .orderBy('install.app_id')
    .execute();
  return rows.map(({ app_id, version_id, choice, name, number, is_reviewed, manifest }) => ({
    appId: app_id,
    appName: name,
    versionId: version_id,
    versionNumber: number,
    choice,
    ...(!is_reviewed && { isUnreviewed: true as const }),
    ...manifest,
  }));
}

/** Returns how an available app takes payments, by its installed version; null when it takes none. */
export async function findAppPayments(db: Db, storeId: string, appId: string): Promise<AppPayments | null> {
  const row = await selectStoreInstalls(db, storeId)
    .where(sql.raw<boolean>(isAvailable))
    .where('install.app_id', '=', appId)
    .select('app_version.payments')
    .executeTakeFirst();
  return (row?.payments as AppPayments | null | undefined) ?? null;
}

/** Returns the rights of apps in stores, in the order of `holders`; null where an app is not available. */
export async function listRights(db: Db, holders: readonly Holder[]): Promise<Rights[]> {
  const { rows } = await sql<{ scopes: Tables['install']['granted_scopes'] | null }>`
    select install.granted_scopes as scopes
    from unnest(${holders.map(({ storeId }) => storeId)}::text[], ${holders.map(({ id }) => id)}::text[])
      with ordinality as holder (store_id, app_id, position)
    left join (install join app on app.id = install.app_id)
      on install.store_id = holder.store_id and install.app_id = holder.app_id and ${sql.raw(isAvailable)}
    order by holder.position`.execute(db);
  return rows.map(({ scopes }) => scopes);
}
