import { type Install, type LifecycleType, lifecycleEvents } from '@waybill/contracts';
import { emitAll } from '@waybill/kernel';
import type { Transaction } from 'kysely';
import type { Tables } from '../tables.ts';
import type { InstallRow } from './queries.ts';

/**
 * Tells an app what has happened to installs of it, in the transaction of the change: each is as it is from then on.
 * `decisions.md 14.5`.
 */
export async function tellApp(
  trx: Transaction<Tables>,
  type: LifecycleType,
  rows: readonly InstallRow[],
): Promise<void> {
  const told = rows.map((row) => ({ storeId: row.store_id, data: { install: toInstall(row) } }));
  await emitAll(trx, lifecycleEvents[type], told);
}

/**
 * What a change of an install is to its app; null: nothing. A merchant who disables what is suspended changes nothing
 * that the app would see.
 */
export function lifecycleOf(before: InstallRow, after: InstallRow): LifecycleType | null {
  if (after.state === 'uninstalled') return 'app.uninstalled';
  if (after.version_id !== before.version_id) return 'app.updated';
  if (after.shown_state === before.shown_state) return null;
  return after.shown_state === 'installed' ? 'app.enabled' : 'app.disabled';
}

/** An install as the API shows it. */
export function toInstall(row: InstallRow): Install {
  return {
    id: row.id,
    appId: row.app_id,
    appName: row.app_name,
    storeId: row.store_id,
    versionId: row.version_id,
    versionNumber: row.version_number,
    grantedScopes: row.granted_scopes,
    connectOrigins: row.connect_origins,
    isDevelopment: row.is_development,
    state: row.shown_state,
    waitingVersionId: row.state === 'uninstalled' ? null : row.waiting_version_id,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}
