import { type Install, type LifecycleType, lifecycleEvents } from '@waybill/contracts';
import { emitAll } from '@waybill/kernel';
import type { Transaction } from 'kysely';
import type { Tables } from '../tables.ts';
import { type InstallRow, recordEmittedAvailability } from './queries.ts';

/**
 * Tells an app about changes of its installs, in the transaction of the change. The event has the new state of each
 * (`decisions.md 14.5`).
 */
export async function emitToApp(
  trx: Transaction<Tables>,
  type: LifecycleType,
  rows: readonly InstallRow[],
): Promise<void> {
  const messages = rows.map((row) => ({ storeId: row.store_id, data: { install: toInstall(row) } }));
  await emitAll(trx, lifecycleEvents[type], messages);
}

/** Tells an app about a merchant's change of an install. */
export async function emitInstallChange(
  trx: Transaction<Tables>,
  before: InstallRow,
  after: InstallRow,
): Promise<void> {
  if (after.state === 'uninstalled') await emitToApp(trx, 'app.uninstalled', [after]);
  else if (after.version_id !== before.version_id) await emitToApp(trx, 'app.updated', [after]);
  else await emitAvailability(trx, [after]);
}

/**
 * Tells an app about installs that became available or unavailable since it was last told. A suspension reaches
 * installs one after the other while merchants switch theirs, so the last event, not the previous state, decides
 * whether there is news.
 */
export async function emitAvailability(trx: Transaction<Tables>, rows: readonly InstallRow[]): Promise<void> {
  const isAvailable = (row: InstallRow) => row.shown_state === 'installed';
  const changed = rows.filter(
    (row) => row.state !== 'uninstalled' && isAvailable(row) !== row.is_told_available,
  );
  await emitToApp(trx, 'app.enabled', changed.filter(isAvailable));
  await emitToApp(
    trx,
    'app.disabled',
    changed.filter((row) => !isAvailable(row)),
  );
  await recordEmittedAvailability(trx, changed);
}

/** Converts an install to its API form. */
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
