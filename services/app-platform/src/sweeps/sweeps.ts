import { InstallChanged } from '@waybill/contracts';
import { emitAll, runAsSystem } from '@waybill/kernel';
import type { Transaction } from 'kysely';
import { type AppRow, lockAppForShare } from '../apps/queries.ts';
import type { Context, Write } from '../config.ts';
import { emitAvailability, emitToApp } from '../lifecycle/lifecycle.ts';
import { listInstallsIn } from '../lifecycle/queries.ts';
import type { Tables } from '../tables.ts';
import {
  advanceSweep,
  type CandidateVersion,
  claimSweep,
  deleteSweep,
  insertSweep,
  listApproved,
  listStoresOfApp,
  lockNextInstalls,
  type SweptInstall,
  updateInstallTimes,
  updateInstallVersions,
} from './queries.ts';

/** Name of the task that visits the remaining installs. */
export const sweepTask = 'sweep-installs';

const batch = 200;

/**
 * Schedules a visit to an app's installs, in the transaction that approves or restores a version, or suspends or
 * restores the app. Must be followed by `startSweep`.
 */
export function scheduleSweep(
  trx: Transaction<Tables>,
  appId: string,
  { isSuspension }: { isSuspension: boolean },
): Promise<void> {
  return insertSweep(trx, { app_id: appId, is_suspension: isSuspension });
}

/**
 * Starts the visit after that transaction's commit and before its answer. A suspension applies to every token from the
 * next request on. A few hundred installs have moved by then; the rest follow.
 */
export async function startSweep(
  context: Context,
  appId: string,
  { isSuspension }: { isSuspension: boolean },
): Promise<void> {
  if (isSuspension) await bumpAllEpochs(context, appId);
  if (await sweepInstalls(context, appId)) context.wakeTask(sweepTask);
}

async function bumpAllEpochs({ db, cache }: Context, appId: string): Promise<void> {
  let after = '';
  for (;;) {
    const stores = await listStoresOfApp(db, appId, after, 1000);
    await Promise.all(stores.map((storeId) => cache.bumpEpoch(storeId)));
    if (stores.length < 1000) return;
    after = stores.at(-1)!;
  }
}

/**
 * Works on one batch of one sweep: installs move to a newer version that they may have (`store-api.md 3, 9.6`), and all
 * announce a suspension. Returns true when there may be more to do. A named app need not wait for the sweeps of others.
 */
export async function sweepInstalls(context: Context, appId?: string): Promise<boolean> {
  const movedStores = await context.write(async (write) => {
    const { trx } = write;
    const sweep = await claimSweep(trx, appId);
    if (!sweep) return null;
    const app = await lockAppForShare(trx, sweep.app_id);
    if (!app) {
      // The app was deleted since, so no store has it.
      await deleteSweep(trx, sweep.id);
      return [];
    }
    const installs = await lockNextInstalls(trx, sweep.app_id, sweep.after_store_id, batch);
    const approved = await listApproved(trx, sweep.app_id);
    const moves = installs.flatMap((install) => {
      const version = findUpgrade(install, approved);
      return version ? [{ install, version }] : [];
    });
    await updateInstallVersions(trx, moves);
    if (sweep.is_suspension) await updateInstallTimes(trx, sweep.app_id, installs);
    const moved = new Set(moves.map(({ install }) => install));
    await auditSweep(write, app, sweep.is_suspension ? installs : [...moved], sweep);
    const changed = installs.filter((install) => {
      const isAffected = install.state === 'installed' && (sweep.is_suspension || !app.suspended_at);
      return isAffected && (sweep.is_suspension || moved.has(install));
    });
    const change = {
      appId: sweep.app_id,
      isAvailable: !app.suspended_at,
      isUpgrade: !sweep.is_suspension,
    };
    const messages = changed.map((install) => ({ storeId: install.store_id, data: change }));
    await emitAll(trx, InstallChanged, messages);
    await emitSweepToApp(trx, app, installs, moved, sweep);
    if (installs.length < batch) await deleteSweep(trx, sweep.id);
    else await advanceSweep(trx, sweep.id, installs.at(-1)!.store_id);
    return [...moved].map((install) => install.store_id);
  });
  if (!movedStores) return false;
  await Promise.all(movedStores.map((storeId) => context.cache.bumpEpoch(storeId)));
  return true;
}

/**
 * Tells the app about each install that moved, and about each that it lost or got back by a suspension's begin or end.
 */
async function emitSweepToApp(
  trx: Transaction<Tables>,
  { id }: AppRow,
  installs: readonly SweptInstall[],
  moved: ReadonlySet<SweptInstall>,
  { is_suspension }: { is_suspension: boolean },
): Promise<void> {
  const concernedInstalls = is_suspension ? installs : [...moved];
  const movedStoreIds = new Set([...moved].map(({ store_id }) => store_id));
  const rows = await listInstallsIn(
    trx,
    id,
    concernedInstalls.map(({ store_id }) => store_id),
  );
  await emitToApp(
    trx,
    'app.updated',
    rows.filter((row) => movedStoreIds.has(row.store_id)),
  );
  if (is_suspension) await emitAvailability(trx, rows);
}

/**
 * Records sweeps in the stores' audit without an actor: nobody in the store acted, and the actual one is only the
 * organisation's concern.
 */
function auditSweep(
  { audit }: Write,
  { id, name, suspended_at }: AppRow,
  installs: readonly SweptInstall[],
  { is_suspension }: { is_suspension: boolean },
): Promise<void> {
  const suspension = suspended_at ? 'app.suspended' : 'app.restored';
  const storeIds = installs.map(({ store_id }) => store_id);
  return runAsSystem(() => audit(storeIds, is_suspension ? suspension : 'app.updated', { id, name }));
}

/**
 * Returns the version that an install moves to automatically: the newest that asks for nothing beyond the grants, and
 * that was approved after a rollback, if there was one. Null when it stays, as an install at its developers' version
 * does.
 */
function findUpgrade(install: SweptInstall, approved: readonly CandidateVersion[]): CandidateVersion | null {
  if (install.is_development) return null;
  const minNumber = Math.max(install.version_number, install.held_number ?? 0);
  const candidates = approved.filter(
    (version) => version.number > minNumber && !needsConsent(install, version),
  );
  return candidates.reduce<CandidateVersion | null>(
    (newest, version) => (!newest || version.number > newest.number ? version : newest),
    null,
  );
}

/** Whether a version needs consent, because it asks for something that the installed one does not. */
export function needsConsent(
  { granted_scopes, connect_origins }: Pick<SweptInstall, 'granted_scopes' | 'connect_origins'>,
  version: Pick<CandidateVersion, 'scopes' | 'connect_origins'>,
): boolean {
  return (
    !includesAll(granted_scopes, version.scopes) || !includesAll(connect_origins, version.connect_origins)
  );
}

/** Whether everything required is granted. */
export function includesAll(granted: readonly string[], required: readonly string[]): boolean {
  return required.every((scope) => granted.includes(scope));
}
