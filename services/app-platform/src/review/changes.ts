import { isDeepStrictEqual } from 'node:util';
import type { Permission } from '@waybill/contracts';
import type { Block } from '../contributions/manifest.ts';
import { compareBlocks } from './differences.ts';
import type { Changes } from './routes.ts';

/** The parts of a version that are compared. */
export interface Contribution {
  id: string;
  number: number;
  scopes: readonly Permission[];
  connectOrigins: readonly string[];
  blocks: readonly Block[];
  islands: readonly { name: string; module_sha256: string | null }[];
}

/** Returns the changes that a reviewer has to examine, compared with an earlier version or with none. */
export function compareVersions(before: Contribution | null, after: Contribution): Changes {
  const blocks = compareMaps(byKey(before?.blocks ?? []), byKey(after.blocks));
  const islands = compareMaps(byName(before?.islands ?? []), byName(after.islands));
  const findModuleHash = (contribution: Contribution | null, name: string) =>
    contribution?.islands.find((island) => island.name === name)?.module_sha256 ?? null;
  return {
    since: before && { versionId: before.id, number: before.number },
    scopes: compareLists(before?.scopes ?? [], after.scopes),
    connectOrigins: compareLists(before?.connectOrigins ?? [], after.connectOrigins),
    blocks,
    blockChanges: compareBlocks(before?.blocks ?? [], after.blocks, blocks.changed),
    islands,
    modules: [...islands.added, ...islands.removed, ...islands.changed].map((island) => ({
      island,
      before: findModuleHash(before, island),
      after: findModuleHash(after, island),
    })),
  };
}

const compareLists = (before: readonly string[], after: readonly string[]) => ({
  added: after.filter((each) => !before.includes(each)),
  removed: before.filter((each) => !after.includes(each)),
});

const byKey = (blocks: readonly Block[]) => new Map(blocks.map((block) => [block.key, block]));
const byName = (islands: Contribution['islands']) =>
  new Map(islands.map(({ name, module_sha256 }) => [name, module_sha256]));

function compareMaps(before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>) {
  return {
    added: [...after.keys()].filter((name) => !before.has(name)),
    removed: [...before.keys()].filter((name) => !after.has(name)),
    changed: [...after.keys()].filter(
      (name) => before.has(name) && !isDeepStrictEqual(before.get(name), after.get(name)),
    ),
  };
}
