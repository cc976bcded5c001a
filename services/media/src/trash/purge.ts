import { AssetsPurged, type Problem } from '@waybill/contracts';
import type { IdempotentWrite, ServiceContext, WriteContext } from '@waybill/kernel';
import type { Config } from '../config.ts';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import { releaseReservationsTask } from '../uploads/sweep.ts';
import { changeUsage, lockUsage } from '../usage/queries.ts';
import {
  deleteAssets,
  listAssetsById,
  lockAssets,
  markBytesForRemoval,
  type PurgedAsset,
} from './queries.ts';
import { listUses, maxUsers, mergeUsers } from './uses.ts';

type Context = ServiceContext<Config, Tables>;

/** Maximum number of users of one kind that a refusal names for each asset. */
const maxUsersPerAsset = 20;

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
  requestedIds: readonly string[],
  { force, idempotentWrite }: { force: boolean; idempotentWrite: IdempotentWrite },
): Promise<void> {
  const ids = [...new Set(requestedIds)];
  checkTrashed(requestedIds, await listAssetsById(context.db, storeId, ids));
  if (!force) await checkUnused(context, storeId, ids);
  await idempotentWrite.commit(async (write: WriteContext<Tables>) => {
    await lockUsage(write.trx, storeId);
    const assets = await lockAssets(write.trx, storeId, ids);
    checkTrashed(requestedIds, assets);
    await deletePermanently(write, storeId, assets);
  });
  context.wakeTask(releaseReservationsTask);
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
    if (trashed.length > 0) await deletePermanently(write, storeId, trashed);
  });
  context.wakeTask(releaseReservationsTask);
}

/**
 * Deletes assets and marks their bytes for removal. Requires the lock of the store's usage, because the counted bytes
 * change.
 */
async function deletePermanently(
  { trx, audit, emit }: WriteContext<Tables>,
  storeId: string,
  assets: readonly PurgedAsset[],
): Promise<void> {
  const assetIds = assets.map(({ id }) => id);
  const sizeBytes = assets.reduce((sum, asset) => sum + asset.size_bytes, 0);
  await deleteAssets(trx, storeId, assetIds);
  await changeUsage(trx, storeId, -sizeBytes);
  await markBytesForRemoval(trx, storeId, assets);
  await audit(storeId, 'media.purged', assets);
  await emit(AssetsPurged, storeId, { assetIds });
}

function checkTrashed(requestedIds: readonly string[], assets: readonly PurgedAsset[]): void {
  const found = new Map(assets.map((asset) => [asset.id, asset]));
  const problems = (isWrong: (id: string) => boolean, message: string): Problem[] =>
    requestedIds.flatMap((id, i) => (isWrong(id) ? [{ pointer: `/ids/${i}`, message }] : []));
  const unknown = problems((id) => !found.has(id), 'is no asset of this store');
  if (unknown.length > 0)
    throw errors.not_found({ message: 'The store has no such asset.', details: unknown });
  const notTrashed = problems((id) => found.get(id)!.trashed_at === null, 'is not in the trash');
  if (notTrashed.length > 0) throw errors.invalid_state({ details: notTrashed });
}

async function checkUnused({ peers }: Context, storeId: string, assetIds: string[]): Promise<void> {
  const uses = await listUses(peers, { storeId, assetIds, liveOnly: true, limit: maxUsersPerAsset });
  if (uses.length > 0) throw errors.media_in_use({ fields: { usage: mergeUsers(uses).slice(0, maxUsers) } });
}
