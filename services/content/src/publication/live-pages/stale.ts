import type { Transaction } from 'kysely';
import type { Context } from '../../config.ts';
import type { Tables } from '../../tables.ts';
import { type Change, markDependents, markStore, recordChanges } from './stale-queries.ts';

type Trx = Transaction<Tables>;

/** Changes of products come in bursts. */
const burstDelayMs = 300;

/**
 * Records that sources of live pages have changed: the pages are rendered again, including one being rendered at this
 * moment. Waits for the store's page list.
 */
export async function invalidateDependents(
  trx: Trx,
  storeId: string,
  changes: readonly Change[],
): Promise<void> {
  if (changes.length === 0) return;
  await recordChanges(trx, storeId, changes);
  await markDependents(trx, storeId, changes, { takesNewBuilds: false, delayMs: burstDelayMs });
}

/** Records a change that every live page of a store shows, such as its currency. */
export async function invalidateStore(trx: Trx, storeId: string): Promise<void> {
  await recordChanges(trx, storeId, [{ kind: 'store', ref: '' }]);
  await markStore(trx, storeId, { takesNewBuilds: false, delayMs: 0 });
}

/** Records changes of several stores, each in a transaction of its own, so that no two stores wait for each other. */
export async function invalidateDependentsByStore(
  { transaction }: Pick<Context, 'transaction'>,
  changes: readonly (Change & { storeId: string })[],
): Promise<void> {
  for (const [storeId, storeChanges] of Map.groupBy(changes, (change) => change.storeId)) {
    await transaction((trx) => invalidateDependents(trx, storeId, storeChanges));
  }
}
