import type { StoreReply } from '@waybill/contracts';
import type { Transaction } from 'kysely';
import type { AppRow } from '../apps/queries.ts';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { findOrgRole } from '../orgs/queries.ts';
import type { Tables } from '../tables.ts';
import { findNewestApproved, findNewestTriable } from '../versions/queries.ts';
import { countDevelopmentInstalls, findInstall, lockDevelopmentInstalls } from './queries.ts';

/**
 * Maximum number of apps in a development store at versions that their developers chose. Their manifests, up to a
 * mebibyte each, are unreviewed, and every request about the store's pages returns all of them.
 */
const maxDevelopmentInstalls = 20;

/** A version that a developer chooses for a store. */
export interface Choice {
  versionId: string;
  userId: string;
  /** The organisation whose development store it is; null for an ordinary store. */
  orgId: string | null;
}

/**
 * Returns a choice with the store's organisation, which identity is asked for before the transaction begins. Throws
 * `resource_unavailable` (`decisions.md 14.3`).
 */
export async function createChoice(
  { peers }: Context,
  storeId: string,
  userId: string,
  versionId: string,
): Promise<Choice> {
  const found = await peers.call<StoreReply>('identity', 'GET', `/internal/stores/${storeId}`);
  return { versionId, userId, orgId: found?.orgId ?? null };
}

/**
 * Returns the choice made when a member of an app's organisation authorises a never approved app in a development
 * store: its newest version. Null when the app is installed, or has an approved version. Called before the transaction
 * begins (`decisions.md 14.1, 14.3`).
 */
export async function findChoiceForUnapproved(
  context: Context,
  { storeId, appId, userId }: { storeId: string; appId: string; userId: string },
): Promise<Choice | null> {
  const { db } = context;
  const install = await findInstall(db, storeId, appId);
  if (install && install.state !== 'uninstalled') return null;
  if (await findNewestApproved(db, appId)) return null;
  const versionId = await findNewestTriable(db, appId);
  return versionId === null ? null : createChoice(context, storeId, userId, versionId);
}

/**
 * Throws `invalid_state` outside development stores of the app's own organisation, and `not_found` for a store member
 * who is not in the organisation, because its drafts are hidden from them (`decisions.md 14.3`).
 */
export async function checkChoice(
  trx: Transaction<Tables>,
  app: AppRow,
  { orgId, userId }: Choice,
): Promise<void> {
  if (orgId !== app.org_id) {
    const message =
      'A version is chosen in development stores of the organisation whose app it is, nowhere else.';
    throw errors.invalid_state({ message });
  }
  if (!(await findOrgRole(trx, app.org_id, userId))) throw errors.not_found();
}

/**
 * Throws `invalid_state` when a development store already has the maximum number of apps at versions that their
 * developers chose.
 */
export async function checkDevelopmentInstallLimit(trx: Transaction<Tables>, storeId: string): Promise<void> {
  await lockDevelopmentInstalls(trx, storeId);
  if ((await countDevelopmentInstalls(trx, storeId)) < maxDevelopmentInstalls) return;
  const message = `A development store has ${maxDevelopmentInstalls} apps at versions that their developers chose, at most.`;
  throw errors.invalid_state({ message });
}
