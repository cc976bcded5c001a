import { checkManifest, maxBlocks, tooManyBlocks } from '@waybill/page';
import type { Context, Write } from '../config.ts';
import { throwProblems, toStored } from '../contributions/checks.ts';
import type { Block } from '../contributions/manifest.ts';
import { listIslands } from '../contributions/queries.ts';
import { errors } from '../errors.ts';
import { markDraftChanged } from '../sweeps/draft-queries.ts';
import { lockVersion, updateBlocks } from '../versions/queries.ts';

/**
 * Checks blocks sent for a draft and returns them in their stored form. Asks content for the vocabulary, which no
 * transaction may wait for. Throws `too_many_blocks`, `block_vocabulary_unavailable`, and the codes of
 * `store-api.md 7.2` with every problem.
 */
export async function acceptBlocks(
  { db, state }: Context,
  versionId: string,
  blocks: readonly unknown[],
): Promise<Block[]> {
  // Check the number before asking for the vocabulary, which is needed only to check names.
  if (blocks.length > maxBlocks) throwProblems([tooManyBlocks]);
  if (blocks.length > 0) {
    const [vocabulary, islands] = await Promise.all([state.vocabulary.read(), listIslands(db, versionId)]);
    const names = new Set(islands.map(({ name }) => name));
    throwProblems(checkManifest(vocabulary, blocks, names));
  }
  return (blocks as readonly Block[]).map(toStored);
}

/** Replaces the blocks of a draft by checked ones. Throws `not_draft`. */
export async function putBlocks({ trx }: Write, versionId: string, blocks: Block[]): Promise<Block[]> {
  if ((await lockVersion(trx, versionId))?.state !== 'draft') throw errors.not_draft();
  if (await updateBlocks(trx, versionId, blocks)) await markDraftChanged(trx, versionId);
  return blocks;
}
