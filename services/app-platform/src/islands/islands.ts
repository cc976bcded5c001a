import { checkIslandNames } from '@waybill/page';
import type { Write } from '../config.ts';
import { throwProblems } from '../contributions/checks.ts';
import { type IslandRow, listIslands } from '../contributions/queries.ts';
import { errors } from '../errors.ts';
import { markDraftChanged } from '../sweeps/draft-queries.ts';
import { lockVersion, updateVersionTime } from '../versions/queries.ts';
import { replaceIslands } from './queries.ts';

/**
 * Declares the islands of a draft. Throws `not_draft`, `too_many_islands`, `invalid_island_name`,
 * `duplicate_island_name`, with every problem (`store-api.md 7.3`).
 */
export async function putIslands(
  { trx }: Write,
  versionId: string,
  declared: readonly { name?: unknown }[],
): Promise<IslandRow[]> {
  throwProblems(checkIslandNames(declared.map(({ name }) => name)));
  const names = declared.map(({ name }) => name as string);
  if ((await lockVersion(trx, versionId))?.state !== 'draft') throw errors.not_draft();
  const before = await listIslands(trx, versionId);
  if (names.join() === before.map(({ name }) => name).join()) return before;
  await replaceIslands(trx, versionId, names);
  await updateVersionTime(trx, versionId);
  await markDraftChanged(trx, versionId);
  return listIslands(trx, versionId);
}
