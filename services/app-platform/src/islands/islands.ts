import { slugMaxLength, slugPattern } from '@waybill/contracts';
import { type ManifestProblem, throwProblems } from '../blocks/checks.ts';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { lockVersion, updateVersionTime } from '../versions/queries.ts';
import { type IslandRow, listIslands, replaceIslands } from './queries.ts';
import { maxIslands } from './routes.ts';

const slug = new RegExp(slugPattern);

/**
 * Declares the islands of a draft. Throws `not_draft`, `too_many_islands`, `invalid_island_name`,
 * `duplicate_island_name`, with every problem. `store-api.md 7.3`.
 */
export async function putIslands(
  { transaction }: Context,
  versionId: string,
  declared: readonly { name?: unknown }[],
): Promise<IslandRow[]> {
  throwProblems(findDeclarationProblems(declared.map(({ name }) => name)));
  const names = declared.map(({ name }) => name as string);
  return transaction(async (trx) => {
    if ((await lockVersion(trx, versionId))?.state !== 'draft') throw errors.not_draft();
    const before = await listIslands(trx, versionId);
    if (names.join() === before.map(({ name }) => name).join()) return before;
    await replaceIslands(trx, versionId, names);
    await updateVersionTime(trx, versionId);
    return listIslands(trx, versionId);
  });
}

/** What is wrong in a saved declaration: the rules of PUT again, and that each has its module. */
export function findIslandProblems(islands: readonly IslandRow[]): ManifestProblem[] {
  const withoutModule = islands.flatMap((island, i): ManifestProblem[] =>
    island.module_sha256
      ? []
      : [
          {
            code: 'island_no_module',
            pointer: `/islands/${i}`,
            message: `${island.name} has no module; upload it first`,
          },
        ],
  );
  return [...findDeclarationProblems(islands.map(({ name }) => name)), ...withoutModule];
}

function findDeclarationProblems(names: readonly unknown[]): ManifestProblem[] {
  const problems: ManifestProblem[] = [];
  const seen = new Set<unknown>();
  if (names.length > maxIslands) {
    problems.push({
      code: 'too_many_islands',
      pointer: '/islands',
      message: `must hold at most ${maxIslands} islands`,
    });
  }
  for (const [i, name] of names.entries()) {
    const pointer = `/islands/${i}/name`;
    const invalid = nameProblem(name);
    if (invalid) problems.push({ code: 'invalid_island_name', pointer, message: invalid });
    else if (seen.has(name)) {
      problems.push({
        code: 'duplicate_island_name',
        pointer,
        message: 'is the name of another island too',
      });
    } else seen.add(name);
  }
  return problems;
}

function nameProblem(name: unknown): string | null {
  if (typeof name !== 'string' || !slug.test(name)) return 'must be a lower-case slug';
  return name.length > slugMaxLength ? `must have at most ${slugMaxLength} characters` : null;
}
