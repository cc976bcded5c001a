import type { TaskDefinition } from '@waybill/kernel';
import type { Transaction } from 'kysely';
import type { Context } from '../../config.ts';
import type { Tables } from '../../tables.ts';
import { maxHistoryBytes, maxRevisions } from './history.ts';
import {
  claimHistory,
  type DueHistory,
  deleteHistory,
  deleteRevisions,
  findNewestExcessRevision,
  listOldest,
  setPruneTime,
} from './queries.ts';

type Trx = Transaction<Tables>;

/** Number of revisions of one history that a transaction deletes. */
const stepSize = 200;
const publishedMs = 90 * 24 * 3600_000;

/** Deletes revisions that are too old to keep, some of one history at a time: `decisions.md 13.2`. */
export const tasks = (context: Context): TaskDefinition[] => [
  { name: 'prune-histories', everyMs: 60_000, run: () => pruneHistory(context) },
];

/** Returns whether there was a history to examine, so that there may be more. */
export function pruneHistory({ transaction }: Pick<Context, 'transaction'>): Promise<boolean> {
  return transaction(async (trx) => {
    const history = await claimHistory(trx);
    if (!history) return false;
    await prune(trx, history);
    return true;
  });
}

async function prune(trx: Trx, history: DueHistory): Promise<void> {
  const { storeId, ownerId, isGone } = history;
  const end = await findNewestExcessRevision(trx, storeId, ownerId, isGone ? 0 : maxRevisions);
  if (end === undefined) {
    return isGone ? deleteHistory(trx, storeId, ownerId) : setPruneTime(trx, storeId, ownerId, null);
  }
  const { old, nextAt } = await listOld(trx, history, end);
  await deleteRevisions(trx, storeId, ownerId, old);
  await setPruneTime(trx, storeId, ownerId, nextAt);
}

/** Returns some revisions up to `end` that are too old to keep, and when to look for the next ones. */
async function listOld(
  trx: Trx,
  { storeId, ownerId, isGone, bytes }: DueHistory,
  end: string,
): Promise<{ old: string[]; nextAt: Date | null }> {
  const now = new Date();
  const oldest = { upTo: end, limit: stepSize };
  if (isGone || bytes > maxHistoryBytes) {
    // A small number, so that little more is deleted than necessary.
    const all = await listOldest(trx, storeId, ownerId, { upTo: end, limit: isGone ? stepSize : 10 });
    return { old: all.map(({ id }) => id), nextAt: now };
  }
  const drafts = await listOldest(trx, storeId, ownerId, { ...oldest, kind: 'draft' });
  const published = await listOldest(trx, storeId, ownerId, { ...oldest, kind: 'published' });
  const getExpiry = ({ createdAt }: { createdAt: Date }) => new Date(createdAt.getTime() + publishedMs);
  const expired = published.filter((each) => getExpiry(each) <= now);
  const isWhole = drafts.length < stepSize && expired.length < stepSize;
  const next = published[expired.length];
  return {
    old: [...drafts, ...expired].map(({ id }) => id),
    nextAt: isWhole ? (next ? getExpiry(next) : null) : now,
  };
}
