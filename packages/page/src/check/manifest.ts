import type { Vocabulary } from '../vocabulary/types.ts';
import { type BlockProblem, checkBlock } from './block.ts';
import { isObject } from './pointer.ts';
import { suggestion } from './suggest.ts';

/** Maximum numbers of blocks and islands in a version, `store-api.md 8`. */
export const maxBlocks = 24;
export const maxIslands = 12;

const slug = /^[a-z0-9]+(-[a-z0-9]+)*$/;
const nameMaxLength = 120;

/** A problem of a version's blocks or islands, with its error code (`store-api.md 7.2, 7.3`). */
export interface ContributionProblem {
  code:
    | BlockProblem['code']
    | ('too_many_blocks' | 'duplicate_block_key' | 'unknown_island')
    | ('too_many_islands' | 'invalid_island_name' | 'duplicate_island_name');
  pointer: string;
  message: string;
}

export const tooManyBlocks: ContributionProblem = {
  code: 'too_many_blocks',
  pointer: '/blocks',
  message: `must hold at most ${maxBlocks} blocks`,
};

/** Precedence of the codes within a block, `decisions.md 7.4`. */
const precedence: readonly ContributionProblem['code'][] = [
  'invalid_block',
  'duplicate_block_key',
  'invalid_block_subtree',
  'unknown_element_type',
  'unknown_island',
  'unknown_trait_widget',
  'unknown_write_key',
];

/**
 * Maximum number of hints. Nobody reads more, and they are costly: a manifest may name twelve long, nearly identical
 * islands.
 */
const maxIslandHints = 100;

/**
 * Returns all problems of a manifest's blocks, block by block, each block's problems in order of precedence. The first
 * one determines the code of an answer (`store-api.md 7.2`, `decisions.md 7.4`). `islands` are the names that the
 * version declares. Too many blocks are reported as the only problem.
 */
export function checkManifest(
  vocabulary: Vocabulary,
  blocks: readonly unknown[],
  islands: ReadonlySet<string>,
): ContributionProblem[] {
  if (blocks.length > maxBlocks) return [tooManyBlocks];
  const keys = new Set<unknown>();
  const islandNames = [...islands];
  let hintsLeft = maxIslandHints;
  const hint = (name: string) => (hintsLeft-- > 0 ? suggestion(name, islandNames) : '');
  return blocks.flatMap((block, i) => {
    const pointer = `/blocks/${i}`;
    const unknownIslands = islandsIn(block).filter(({ name }) => !islands.has(name));
    const problems: ContributionProblem[] = [
      ...checkBlock(vocabulary, block, pointer),
      ...unknownIslands.map(({ name, node }) => ({
        code: 'unknown_island' as const,
        pointer: `${pointer}/nodes/${node}/island`,
        message: `is no island that the version declares${hint(name)}`,
      })),
    ];
    const key = isObject(block) ? block.key : undefined;
    if (typeof key === 'string' && keys.has(key)) {
      const message = 'is the key of another block too';
      problems.push({ code: 'duplicate_block_key', pointer: `${pointer}/key`, message });
    }
    keys.add(key);
    return problems.sort((a, b) => precedence.indexOf(a.code) - precedence.indexOf(b.code));
  });
}

/** Returns the islands named by a block's nodes, even if the block is otherwise invalid. */
function islandsIn(block: unknown): { name: string; node: number }[] {
  const nodes = isObject(block) ? block.nodes : undefined;
  if (!Array.isArray(nodes)) return [];
  return nodes.flatMap((node: unknown, i) =>
    isObject(node) && typeof node.island === 'string' ? [{ name: node.island, node: i }] : [],
  );
}

/** Returns the problems of a declaration of islands with these names (`store-api.md 7.3`). */
export function checkIslandNames(names: readonly unknown[]): ContributionProblem[] {
  const problems: ContributionProblem[] = [];
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
  return name.length > nameMaxLength ? `must have at most ${nameMaxLength} characters` : null;
}
