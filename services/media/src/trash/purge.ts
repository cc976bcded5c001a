import { AssetsPurged, type Problem } from '@waybill/contracts';
import type { IdempotentWrite, ServiceContext, WriteContext } from '@waybill/kernel';
import type { Config } from '../config.ts';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import { giveBackTask } from '../uploads/sweep.ts';
import { changeUsage, lockUsage } from '../usage/queries.ts';
import { deleteAssets, leaveBytes, listAssetsOf, lockAssets, type Purged } from './queries.ts';
import { listUses, mostUsers, usersOf } from './uses.ts';

type Context = ServiceContext<Config, Tables>;

/** Maximum number of users of one kind that a refusal names for each asset. */
const namedEach = 20;

/**
 * Deletes trashed assets for good, all or none, and frees their share of the quota; their bytes are removed after the
 * commit. Someone may begin to show one of them between the check and the deletion, or `force` may skip the check: such
 * pages and products drop the asset as soon as they receive the event (`decisions.md 16.2`).
 * @throws not_found, invalid_state, media_in_use with `usage`, resource_unavailable while it is not known what is in
 * use
 */
export async function purgeAssets(
  context: Context,
  storeId: string,
  sent: readonly string[],
  { force, once }: { force: boolean; once: IdempotentWrite },
): Promise<void> {
  const ids = [...new Set(sent)];
  checkTrashed(sent, await listAssetsOf(context.db, storeId, ids));
  if (!force) await checkUnused(context, storeId, ids);
  await once.commit(async (write: WriteContext<Tables>) => {
    await lockUsage(write.trx, storeId);
    const assets = await lockAssets(write.trx, storeId, ids);
    checkTrashed(sent, assets);
    await deleteForGood(write, storeId, assets);
  });
  context.wake(giveBackTask);
}

/**
 * Deletes those of these assets that nothing uses, drafts included. An asset that was restored from the trash meanwhile
 * stays.
 * @throws resource_unavailable while it is not known what is in use
 */
export async function purgeUnused(context: Context, storeId: string, ids: readonly string[]): Promise<void> {
  const query = { storeId, assetIds: [...ids], liveOnly: false, limit: 1 };
  const used = new Set((await listUses(context.peers, query)).map(({ assetId }) => assetId));
  const unused = ids.filter((id) => !used.has(id));
  if (unused.length === 0) return;
  await context.write(async (write) => {
    await lockUsage(write.trx, storeId);
    const assets = await lockAssets(write.trx, storeId, unused);
    const trashed = assets.filter(({ trashed_at }) => trashed_at !== null);
    if (trashed.length > 0) await deleteForGood(write, storeId, trashed);
  });
  context.wake(giveBackTask);
}

/**
 * Deletes assets and marks their bytes for removal. Requires the lock of the store's usage, because the counted bytes
 * change.
 */
async function deleteForGood(
  { trx, audit, emit }: WriteContext<Tables>,
  storeId: string,
  assets: readonly Purged[],
): Promise<void> {
  const assetIds = assets.map(({ id }) => id);
  const sizeBytes = assets.reduce((sum, asset) => sum + asset.size_bytes, 0);
  await deleteAssets(trx, storeId, assetIds);
  await changeUsage(trx, storeId, -sizeBytes);
  await leaveBytes(trx, storeId, assets);
  await audit(storeId, 'media.purged', assets);
  await emit(AssetsPurged, storeId, { assetIds });
}

function checkTrashed(sent: readonly string[], assets: readonly Purged[]): void {
  const found = new Map(assets.map((asset) => [asset.id, asset]));
  const problems = (isWrong: (id: string) => boolean, message: string): Problem[] =>
    sent.flatMap((id, i) => (isWrong(id) ? [{ pointer: `/ids/${i}`, message }] : []));
  const unknown = problems((id) => !found.has(id), 'is no asset of this store');
  if (unknown.length > 0)
    throw errors.not_found({ message: 'The store has no such asset.', details: unknown });
  const kept = problems((id) => found.get(id)!.trashed_at === null, 'is not in the trash');
  if (kept.length > 0) throw errors.invalid_state({ details: kept });
}

async function checkUnused({ peers }: Context, storeId: string, assetIds: string[]): Promise<void> {
  const uses = await listUses(peers, { storeId, assetIds, liveOnly: true, limit: namedEach });
  if (uses.length > 0) throw errors.media_in_use({ fields: { usage: usersOf(uses).slice(0, mostUsers) } });
}
