import { islandPath, slugMaxLength, slugPattern } from '@waybill/contracts';
import { nullable } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import type { Config } from '../config.ts';
import type { ManifestProblem } from './checks.ts';
import type { IslandRow } from './queries.ts';

/** How many islands a version may declare, `store-api.md 8`. */
export const maxIslands = 12;
const name = Type.String({ pattern: slugPattern, maxLength: slugMaxLength, examples: ['stars'] });

export const Island = Type.Object(
  {
    name,
    moduleSha256: nullable(Type.String({ description: 'Of the bytes, hex; null until one is uploaded.' })),
    moduleUrl: nullable(
      Type.String({ description: 'Where it is served once a version that holds it has been approved.' }),
    ),
    sizeBytes: nullable(Type.Integer()),
  },
  { $id: 'Island' },
);
export type Island = Static<typeof Island>;

export function toIsland({ publicBaseUrl }: Config, row: IslandRow): Island {
  return {
    name: row.name,
    moduleSha256: row.module_sha256,
    moduleUrl: row.module_sha256 && publicBaseUrl + islandPath(row.module_sha256),
    sizeBytes: row.size_bytes,
  };
}

const slug = new RegExp(slugPattern);

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

/** What is wrong in a declaration of islands by these names. */
export function findDeclarationProblems(names: readonly unknown[]): ManifestProblem[] {
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
