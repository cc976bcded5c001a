import { storeLimits } from '@waybill/contracts';
import type { Transaction } from 'kysely';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import { claimSlug, countSlugs, deleteExpiredSlugs, expireSlugs } from './queries.ts';

/** Years for which the slugs of a closed store stay reserved: `decisions.md 19.12`. */
const reservedYears = 2;

/**
 * Reserves a new slug for a store in addition to its former one. The caller stores the new one in `store`.
 * @throws duplicate_slug if the slug belongs to another store, too_many_slugs
 */
export async function moveSlug(
  trx: Transaction<Tables>,
  storeId: string,
  { from, to }: { from: string; to: string },
): Promise<void> {
  if (!(await claimSlug(trx, storeId, to))) throw errors.duplicate_slug();
  // A store from before this table may lack an entry for its current slug.
  await claimSlug(trx, storeId, from);
  if ((await countSlugs(trx, storeId)) > storeLimits.formerSlugs) throw errors.too_many_slugs();
}

/** Reserves the slugs of a store that closes for two years. */
export async function reserveSlugsOfClosedStore(
  trx: Transaction<Tables>,
  storeId: string,
  slug: string,
): Promise<void> {
  await claimSlug(trx, storeId, slug);
  await expireSlugs(trx, storeId, reservedYears);
}

const sweepBatch = 1000;

/** Deletes slugs whose stores closed two years ago. Returns true if there may be more. */
export const sweepSlugs = ({ db }: Context): Promise<boolean> => deleteExpiredSlugs(db, sweepBatch);
