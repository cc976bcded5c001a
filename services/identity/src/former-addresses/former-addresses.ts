import { storeLimits } from '@waybill/contracts';
import type { Transaction } from 'kysely';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import { claimSlug, countSlugs, deleteExpiredSlugs, expireSlugs } from './queries.ts';

/** For how long nobody else gets the slugs of a closed store: `decisions.md 19.12`. */
const keptYears = 2;

/**
 * Gives a store another slug, and keeps the one that it leaves. After both are the store's own in `store`.
 * @throws duplicate_slug where the slug belongs to another store, too_many_slugs
 */
export async function moveSlug(
  trx: Transaction<Tables>,
  storeId: string,
  { from, to }: { from: string; to: string },
): Promise<void> {
  if (!(await claimSlug(trx, storeId, to))) throw errors.duplicate_slug();
  // One of before this table may still be missing there.
  await claimSlug(trx, storeId, from);
  if ((await countSlugs(trx, storeId)) > storeLimits.formerSlugs) throw errors.too_many_slugs();
}

/** Keeps the slugs of a store that closes from others for two years. */
export async function keepSlugsOfClosed(
  trx: Transaction<Tables>,
  storeId: string,
  slug: string,
): Promise<void> {
  await claimSlug(trx, storeId, slug);
  await expireSlugs(trx, storeId, keptYears);
}

const sweepBatch = 1000;

/** Deletes slugs whose stores have been closed for two years; true: there may be more. */
export const sweepSlugs = ({ db }: Context): Promise<boolean> => deleteExpiredSlugs(db, sweepBatch);
