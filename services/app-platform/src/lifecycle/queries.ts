import type { Install } from '@waybill/contracts';
import { type Kysely, type RawBuilder, type Selectable, sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;

/** An install with facts about its app and its version. */
export interface InstallRow extends Selectable<Tables['install']> {
  app_name: string;
  shown_state: Install['state'];
  version_number: number;
  /** The origins that the version asks to connect to, to which the merchant has agreed. */
  connect_origins: string[];
  /** The newest approved version after its own; null when there is none. */
  waiting_version_id: string | null;
}

/** SQL for the shown state: a suspension by the platform overrides the merchant's choice. */
export const shownState: RawBuilder<Install['state']> = sql`case
  when app.suspended_at is not null and install.state <> 'uninstalled' then 'suspended' else install.state end`;

/** Selects installs with their apps and versions. */
export const selectInstalls = (db: Db) =>
  db
    .selectFrom('install')
    .innerJoin('app', 'app.id', 'install.app_id')
    .innerJoin('app_version', 'app_version.id', 'install.version_id');

/** Selects installs with everything that is shown of them. */
export const selectInstallsWithFacts = (db: Db) =>
  selectInstalls(db)
    .selectAll('install')
    .select(['app.name as app_name', shownState.as('shown_state')])
    .select(['app_version.number as version_number', 'app_version.connect_origins'])
    .select((eb) =>
      eb
        .selectFrom('app_version as newer')
        .select('newer.id')
        .whereRef('newer.app_id', '=', 'install.app_id')
        .where('newer.state', '=', 'approved')
        .whereRef('newer.number', '>', 'app_version.number')
        .orderBy('newer.number', 'desc')
        .limit(1)
        .as('waiting_version_id'),
    );

/** Returns the installs of an app in these stores, ordered by store. */
export function listInstallsIn(db: Db, appId: string, storeIds: readonly string[]): Promise<InstallRow[]> {
  return selectInstallsWithFacts(db)
    .where('install.app_id', '=', appId)
    .where('install.store_id', '=', sql<string>`any(${storeIds}::text[])`)
    .orderBy('install.store_id')
    .execute();
}

/** Records that the app has been told the opposite of the previous state. */
export async function recordEmittedAvailability(
  trx: Transaction<Tables>,
  rows: readonly InstallRow[],
): Promise<void> {
  if (rows.length === 0) return;
  await trx
    .updateTable('install')
    .set({ is_told_available: sql`not is_told_available` })
    .where((eb) =>
      eb(
        eb.refTuple('store_id', 'id'),
        'in',
        rows.map(({ store_id, id }) => eb.tuple(store_id, id)),
      ),
    )
    .execute();
}
