import { idPattern } from '@waybill/contracts';
import { currentActor } from '@waybill/kernel';
import { type AppRow, lockApp, updateApp } from '../apps/queries.ts';
import type { Context, Write } from '../config.ts';
import { listIslands } from '../contributions/queries.ts';
import { errors } from '../errors.ts';
import { scheduleSweep, startSweep } from '../sweeps/sweeps.ts';
import { findBlocks, findNewestApproved, findVersion, type VersionRow } from '../versions/queries.ts';
import { changeState } from '../versions/versions.ts';
import { type Contribution, compareVersions } from './changes.ts';
import { notifyDevelopers } from './notices.ts';
import type { Changes } from './routes.ts';

const patterns = { versionId: new RegExp(idPattern('appVersion')), appId: new RegExp(idPattern('app')) };

/**
 * Throws `reviewer_required` unless identity says that the user is a reviewer. Only then throws `not_found` for a
 * malformed id in the path (`decisions.md 7.5`).
 */
export function requireReviewer(
  { isReviewer }: { isReviewer?: boolean },
  { versionId, appId }: { versionId?: string; appId?: string } = {},
): void {
  if (!isReviewer) throw errors.reviewer_required();
  if (versionId !== undefined && !patterns.versionId.test(versionId)) throw errors.not_found();
  if (appId !== undefined && !patterns.appId.test(appId)) throw errors.not_found();
}

/** Returns the changes since the last approved version. */
export async function findChanges(context: Context, version: VersionRow): Promise<Changes> {
  const before = await findNewestApproved(context.db, version.app_id, version.number);
  const [earlier, current] = await Promise.all([
    before ? readContribution(context, before) : null,
    readContribution(context, version),
  ]);
  return compareVersions(earlier, current);
}

async function readContribution(
  { db }: Context,
  { id, number, scopes, connect_origins }: VersionRow,
): Promise<Contribution> {
  const [blocks, islands] = await Promise.all([findBlocks(db, id), listIslands(db, id)]);
  return { id, number, scopes, connectOrigins: connect_origins, blocks, islands };
}

/** Approves a submitted version. Throws `not_found`, `invalid_state`. */
export async function approveVersion(write: Write, context: Context, versionId: string): Promise<VersionRow> {
  const version = await requireAnyVersion(write, versionId);
  const change = { state: 'approved', reviewed_at: new Date() } as const;
  const audited = { action: 'approved', by: getActingReviewer() } as const;
  return changeState(write, context, version, 'submitted', change, audited, (app, { number, submitted_by }) =>
    notifyDevelopers(write, app, submitted_by, {
      template: 'appVersionApproved',
      number: String(number),
    }),
  );
}

/** Rejects a submitted version for good. Throws `not_found`, `invalid_state`. */
export async function rejectVersion(
  write: Write,
  context: Context,
  versionId: string,
  reason: string,
): Promise<VersionRow> {
  const version = await requireAnyVersion(write, versionId);
  const change = { state: 'rejected', reviewed_at: new Date(), rejection_reason: reason } as const;
  const audited = { action: 'rejected', by: getActingReviewer() } as const;
  return changeState(write, context, version, 'submitted', change, audited, (app, { number, submitted_by }) =>
    notifyDevelopers(write, app, submitted_by, {
      template: 'appVersionRejected',
      number: String(number),
      reason,
    }),
  );
}

/** Returns the acting reviewer without the network address, which the organisation must not see in its audit. */
const getActingReviewer = () => ({ ...currentActor(), ip: null });

/**
 * Suspends an app, or restores it; repeating it changes nothing. Its installs know before the answer, so no token of a
 * suspended app is valid for the next request. Throws `not_found`.
 */
export async function setSuspended(
  write: Write,
  context: Context,
  appId: string,
  isSuspended: boolean,
): Promise<AppRow> {
  const { trx, audit, afterCommit } = write;
  const app = await lockApp(trx, appId);
  if (!app) throw errors.not_found();
  // Also when nothing changed, because an earlier request may have ended before this step.
  afterCommit(() => startSweep(context, appId, { isSuspension: true }));
  if ((app.suspended_at !== null) === isSuspended) return app;
  await scheduleSweep(trx, appId, { isSuspension: true });
  const action = isSuspended ? 'app.suspended' : 'app.restored';
  await audit(app.org_id, action, app, { by: getActingReviewer() });
  const newest = await findNewestApproved(trx, appId);
  const template = isSuspended ? 'appSuspended' : 'appRestored';
  await notifyDevelopers(write, app, newest?.submitted_by ?? null, { template });
  return updateApp(trx, appId, { suspended_at: isSuspended ? new Date() : null });
}

async function requireAnyVersion({ trx }: Write, versionId: string): Promise<VersionRow> {
  const version = await findVersion(trx, versionId);
  if (!version) throw errors.not_found();
  return version;
}
