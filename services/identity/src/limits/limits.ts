import { type StoreLimit, toStoreLimits } from '@waybill/contracts';
import { countKeysInUse } from '../api-keys/queries.ts';
import type { Context } from '../config.ts';
import { countDomains } from '../domains/queries.ts';
import { countSlugs } from '../former-addresses/queries.ts';
import { countOpenInvitations } from '../invitations/queries.ts';
import { countMembers } from '../members/queries.ts';

/** Lists the limits of a store in this service, and how much of each is used: `decisions.md 19.13`. */
export async function listLimits({ db }: Pick<Context, 'db'>, storeId: string): Promise<StoreLimit[]> {
  const [members, invitations, apiKeys, domains, formerSlugs] = await Promise.all([
    countMembers(db, storeId),
    countOpenInvitations(db, storeId),
    countKeysInUse(db, storeId),
    countDomains(db, storeId),
    countSlugs(db, storeId),
  ]);
  // The table of former slugs also contains the current one.
  return toStoreLimits({ members, invitations, apiKeys, domains, formerSlugs: Math.max(0, formerSlugs - 1) });
}
