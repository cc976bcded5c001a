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
 * As many apps of a development store may be at a version that their developers chose. Nobody reviews what these contribute,
 * a mebibyte each, and every question about the store's pages is answered with all of it.
 */
const maxChosen = 20;

/** A version that somebody names for a store. */
export interface Choice {
  versionId: string;
  userId: string;
  /** The organisation whose development store it is; null: of none. */
  orgId: string | null;
}

/**
 * The choice with what identity says of the store; it is asked before there is a transaction. Throws
 * `resource_unavailable`. `decisions.md 14.3`.
 */
export async function choiceIn(
  { peers }: Context,
  storeId: string,
  userId: string,
  versionId: string,
): Promise<Choice> {
  const found = await peers.call<StoreReply>('identity', 'GET', `/internal/stores/${storeId}`);
  return { versionId, userId, orgId: found?.orgId ?? null };
}

/**
 * What is chosen where a member of an app's organisation authorises it in a development store before it was ever approved:
 * its newest version. Null where the app can be, or is, installed otherwise. Asked before there is a transaction.
 * `decisions.md 14.1, 14.3`.
 */
export async function choiceOfUnapproved(
  context: Context,
  { storeId, appId, userId }: { storeId: string; appId: string; userId: string },
): Promise<Choice | null> {
  const { db } = context;
  const install = await findInstall(db, storeId, appId);
  if (install && install.state !== 'uninstalled') return null;
  if (await findNewestApproved(db, appId)) return null;
  const versionId = await findNewestTriable(db, appId);
  return versionId === null ? null : choiceIn(context, storeId, userId, versionId);
}

/**
 * Throws `invalid_state` but in a development store of the app's own organisation, and `not_found` for who is in the
 * store and not, or no longer, in the organisation: its drafts are unknown to them. `decisions.md 14.3`.
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

/** Throws `invalid_state` where a development store has no room for one more app at a version of its developers' choice. */
export async function checkRoom(trx: Transaction<Tables>, storeId: string): Promise<void> {
  await lockDevelopmentInstalls(trx, storeId);
  if ((await countDevelopmentInstalls(trx, storeId)) < maxChosen) return;
  const message = `A development store has ${maxChosen} apps at versions that their developers chose, at most.`;
  throw errors.invalid_state({ message });
}
