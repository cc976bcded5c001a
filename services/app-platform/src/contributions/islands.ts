import { islandPath, slugMaxLength, slugPattern } from '@waybill/contracts';
import { nullable } from '@waybill/kernel';
import { checkIslandNames } from '@waybill/page';
import Type, { type Static } from 'typebox';
import type { ManifestProblem } from './checks.ts';
import type { IslandRow } from './queries.ts';

const name = Type.String({ pattern: slugPattern, maxLength: slugMaxLength, examples: ['stars'] });

export const Island = Type.Object(
  {
    name,
    moduleSha256: nullable(
      Type.String({ description: 'The SHA-256 of the bytes in hex; null until a module is uploaded.' }),
    ),
    moduleUrl: nullable(
      Type.String({
        description: 'The URL of the module once a version that contains it has been approved.',
      }),
    ),
    sizeBytes: nullable(Type.Integer()),
  },
  { $id: 'Island' },
);
export type Island = Static<typeof Island>;

/** Converts a row into the island as the API shows it. */
export function toIsland({ publicBaseUrl }: { publicBaseUrl: string }, row: IslandRow): Island {
  return {
    name: row.name,
    moduleSha256: row.module_sha256,
    moduleUrl: row.module_sha256 && publicBaseUrl + islandPath(row.module_sha256),
    sizeBytes: row.size_bytes,
  };
}

/** Checks a saved declaration by the rules of PUT, and that each island has its module. */
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
  return [...checkIslandNames(islands.map(({ name }) => name)), ...withoutModule];
}
