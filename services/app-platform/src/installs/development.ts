import type { StoreReply } from '@waybill/contracts';
import type { Transaction } from 'kysely';
import type { AppRow } from '../apps/queries.ts';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { findOrgRole } from '../orgs/queries.ts';
import type { Tables } from '../tables.ts';

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
