import { type AppPayments, newId, ownerLimits, type Permission } from '@waybill/contracts';
import type { Actor } from '@waybill/kernel';
import { checkManifest, type Vocabulary } from '@waybill/page';
import { type AppRow, claimVersionNumber, findApp, lockApp } from '../apps/queries.ts';
import type { Context, Write } from '../config.ts';
import { throwProblems } from '../contributions/checks.ts';
import { findIslandProblems } from '../contributions/islands.ts';
import { listIslands } from '../contributions/queries.ts';
import { errors } from '../errors.ts';
import { scheduleSweep, startSweep } from '../sweeps/sweeps.ts';
import { checkConnectOrigins } from './connect-origins.ts';
import {
  copyVersion,
  countOpenVersions,
  countVersions,
  findBlocks,
  findVersionOfMember,
  insertVersion,
  lockVersion,
  updateVersion,
  type VersionRow,
} from './queries.ts';
import type { VersionState } from './routes.ts';

/** The ids that name a version in the path of a request. */
export interface VersionPath {
  orgId: string;
  appId: string;
  versionId: string;
}

/** The input for a new version. */
interface VersionInput {
  /** A version of the same app that this one copies, except for the fields given here. */
  from?: string;
  scopes?: readonly Permission[];
  connectOrigins?: readonly string[];
  payments?: AppPayments | null;
}

/**
 * Creates a version with the app's next number. Throws `invalid_body`, `too_many_versions`, and `not_found`, also for
 * an unknown `from` (`decisions.md 7.3, 14.4, 14.7`).
 */
export async function createVersion(
  { trx }: Write,
  appId: string,
  { from, scopes, connectOrigins, payments }: VersionInput,
): Promise<VersionRow> {
  if (from === undefined && scopes === undefined) {
    throw errors.invalid_body({ details: [{ pointer: '/scopes', message: 'is required without from' }] });
  }
  checkConnectOrigins(connectOrigins ?? [], { loopback: true });
  const number = await claimVersionNumber(trx, appId);
  if (number === undefined) throw errors.not_found();
  if ((await countOpenVersions(trx, appId)) >= ownerLimits.openVersions) throw errors.too_many_versions();
  if ((await countVersions(trx, appId)) >= ownerLimits.versions) throw errors.too_many_versions();
  const named = {
    id: newId('appVersion'),
    app_id: appId,
    number,
    scopes: scopes && [...new Set(scopes)],
    connect_origins: connectOrigins && [...new Set(connectOrigins)],
  };
  if (from === undefined) {
    const { scopes = [], connect_origins = [] } = named;
    return insertVersion(trx, { ...named, scopes, connect_origins, payments: payments ?? null });
  }
  const copy = await copyVersion(trx, { ...named, from, payments });
  if (!copy) throw errors.not_found();
  return copy;
}

/** Returns the version, for a member of its organisation. Throws `not_found` (`decisions.md 7.2`). */
export async function requireVersion(
  { db }: Pick<Context, 'db'>,
  path: VersionPath,
  userId: string,
): Promise<VersionRow> {
  const version = await findVersionOfMember(db, path, userId);
  if (!version) throw errors.not_found();
  return version;
}

/** Returns the version while it can still be changed. Throws `not_found`, `not_draft`. */
export async function requireDraft(
  context: Pick<Context, 'db'>,
  path: VersionPath,
  userId: string,
): Promise<VersionRow> {
  const version = await requireVersion(context, path, userId);
  if (version.state !== 'draft') throw errors.not_draft();
  return version;
}

/**
 * Returns the vocabulary for checking a version's contributions; null when it has no blocks, and so no names to check.
 * Asks content for it, which no transaction may wait for. Throws `block_vocabulary_unavailable`.
 */
export async function fetchVocabulary({ db, state }: Context, versionId: string): Promise<Vocabulary | null> {
  const isEmpty = (await findBlocks(db, versionId)).length === 0;
  return isEmpty ? null : state.vocabulary.read();
}

/**
 * Submits a draft after checking its contributions with the current vocabulary. Throws `not_found`, `not_draft`,
 * `invalid_body` for a connect origin that only a draft may have, and the errors of the checks (`store-api.md 7.4`).
 */
export async function submitVersion(
  write: Write,
  versionId: string,
  userId: string,
  vocabulary: Vocabulary | null,
): Promise<VersionRow> {
  const { trx } = write;
  const version = await lockVersion(trx, versionId);
  if (!version) throw errors.not_found();
  if (version.state !== 'draft') throw errors.not_draft();
  checkConnectOrigins(version.connect_origins, { loopback: false });
  const [blocks, islands] = [await findBlocks(trx, versionId), await listIslands(trx, versionId)];
  // Blocks were added since, so the next attempt asks for the vocabulary.
  if (blocks.length > 0 && !vocabulary) throw errors.block_vocabulary_unavailable();
  const names = new Set(islands.map(({ name }) => name));
  throwProblems([
    ...(vocabulary ? checkManifest(vocabulary, blocks, names) : []),
    ...findIslandProblems(islands),
  ]);
  await auditVersion(write, (await findApp(trx, version.app_id))!, version, { action: 'submitted' });
  return updateVersion(trx, versionId, {
    state: 'submitted',
    submitted_at: new Date(),
    submitted_by: userId,
  });
}

/**
 * Turns a submitted version back into a draft, unless a reviewer was faster. Throws `invalid_state`
 * (`decisions.md 14.7`).
 */
export function recallVersion(write: Write, context: Context, version: VersionRow): Promise<VersionRow> {
  const change = { state: 'draft', submitted_at: null, submitted_by: null } as const;
  return changeState(write, context, version, 'submitted', change, { action: 'recalled' });
}

/** Withdraws an approved version: no new install gets it. Throws `invalid_state` (`store-api.md 3`). */
export function withdrawVersion(write: Write, context: Context, version: VersionRow): Promise<VersionRow> {
  const change = { state: 'withdrawn', withdrawn_at: new Date() } as const;
  return changeState(write, context, version, 'approved', change, { action: 'withdrawn' });
}

/** Offers a withdrawn version again. Throws `invalid_state` (`store-api.md 3`). */
export function restoreVersion(write: Write, context: Context, version: VersionRow): Promise<VersionRow> {
  const change = { state: 'approved', withdrawn_at: null } as const;
  return changeState(write, context, version, 'withdrawn', change, { action: 'restored' });
}

/**
 * Changes the state of a version from the only one that allows it. Installs move to a version that becomes approved.
 * `also` runs in the same transaction. Throws `not_found`, `invalid_state`.
 */
export async function changeState(
  write: Write,
  context: Context,
  { id, app_id }: VersionRow,
  from: VersionState,
  change: Parameters<typeof updateVersion>[2],
  audited: AuditedAct,
  also: (app: AppRow, version: VersionRow) => Promise<void> = async () => {},
): Promise<VersionRow> {
  const { trx, afterCommit } = write;
  const app = await lockApp(trx, app_id);
  const version = await lockVersion(trx, id);
  if (!app || !version) throw errors.not_found();
  if (version.state !== from) {
    throw errors.invalid_state({
      message: `This needs a version that is ${from}; it is ${version.state}.`,
    });
  }
  if (change.state === 'approved') await scheduleSweep(trx, app_id, { isSuspension: false });
  await auditVersion(write, app, version, audited);
  await also(app, version);
  const changed = await updateVersion(trx, id, change);
  if (changed.state === 'approved') afterCommit(() => startSweep(context, app_id, { isSuspension: false }));
  return changed;
}

/** The audit's name for a change of a version, and its actor unless that is a member. */
interface AuditedAct {
  action: 'submitted' | 'recalled' | 'approved' | 'rejected' | 'withdrawn' | 'restored' | 'deleted';
  by?: Actor;
}

/** Records a change of a version in the audit of its organisation. */
export function auditVersion(
  { audit }: Write,
  { org_id, name }: AppRow,
  { id, number }: VersionRow,
  { action, ...options }: AuditedAct,
): Promise<void> {
  return audit(org_id, `appVersion.${action}`, { id, name: `${name} ${number}` }, options);
}
