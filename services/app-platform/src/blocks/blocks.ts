import { checkManifest, maxBlocks, tooManyBlocks } from '@waybill/page';
import type { Context } from '../config.ts';
import { throwProblems, toStored } from '../contributions/checks.ts';
import type { Block } from '../contributions/manifest.ts';
import { listIslands } from '../contributions/queries.ts';
import { errors } from '../errors.ts';
import { markDraftChanged } from '../sweeps/draft-queries.ts';
import { lockVersion, updateBlocks } from '../versions/queries.ts';

/**
 * Replaces what a draft contributes. Throws `not_draft`, `too_many_blocks`, `block_vocabulary_unavailable`, and the
 * codes of `store-api.md 7.2` with every problem there is; then nothing is stored.
 */
export async function putBlocks(
  context: Context,
  versionId: string,
  blocks: readonly unknown[],
): Promise<Block[]> {
  const { db, transaction } = context;
  // Before the vocabulary, which is asked for only where there are names to check.
  if (blocks.length > maxBlocks) throwProblems([tooManyBlocks]);
  if (blocks.length > 0) {
    const [vocabulary, islands] = await Promise.all([
      context.state.vocabulary.read(),
      listIslands(db, versionId),
    ]);
    const names = new Set(islands.map(({ name }) => name));
    throwProblems(checkManifest(vocabulary, blocks, names));
  }
  const stored = (blocks as readonly Block[]).map(toStored);
  await transaction(async (trx) => {
    if ((await lockVersion(trx, versionId))?.state !== 'draft') throw errors.not_draft();
    if (await updateBlocks(trx, versionId, stored)) await markDraftChanged(trx, versionId);
  });
  return stored;
}
