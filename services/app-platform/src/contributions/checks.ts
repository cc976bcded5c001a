import type { Problem } from '@waybill/contracts';
import { type BlockProblem, checkBlock, suggestion, type Vocabulary, withoutReference } from '@waybill/page';
import { errors } from '../errors.ts';
import type { Block, BlockNode } from './manifest.ts';

/** A problem with the code that it earns: `store-api.md 7.2–7.4`. */
export interface ManifestProblem {
  code: BlockProblem['code'] | 'too_many_blocks' | 'duplicate_block_key' | 'unknown_island' | IslandCode;
  pointer: string;
  message: string;
}
type IslandCode = 'too_many_islands' | 'invalid_island_name' | 'duplicate_island_name' | 'island_no_module';

/** Within a block, `decisions.md 7.4`. */
const precedence: readonly ManifestProblem['code'][] = [
  'invalid_block',
  'duplicate_block_key',
  'invalid_block_subtree',
  'unknown_element_type',
  'unknown_island',
  'unknown_trait_widget',
  'unknown_write_key',
];

/** More than this tell nobody more. */
const maxListed = 1_000;

/** More hints than these nobody reads, and they cost more than all else: twelve long names that are nearly alike. */
const maxIslandHints = 100;

/** Throws the error of the first problem, with all of them as its details; nothing where there is none. */
export function throwProblems(problems: readonly ManifestProblem[]): void {
  const [first] = problems;
  if (!first) return;
  const details = problems
    .slice(0, maxListed)
    .map(({ pointer, code, message }): Problem => ({ pointer, code, message }));
  throw errors[first.code]({ details });
}

/**
 * All that is wrong in the blocks of a manifest, block after block, each one's problems in the order of precedence:
 * the first is the one that the answer's code names.
 */
export function findManifestProblems(
  vocabulary: Vocabulary,
  blocks: readonly unknown[],
  islands: ReadonlySet<string>,
): ManifestProblem[] {
  const keys = new Set<unknown>();
  const islandNames = [...islands];
  let hintsLeft = maxIslandHints;
  const hint = (name: string) => (hintsLeft-- > 0 ? suggestion(name, islandNames) : '');
  return blocks.flatMap((block, i) => {
    const pointer = `/blocks/${i}`;
    const unknownIslands = findIslands(block).filter(({ name }) => !islands.has(name));
    const problems: ManifestProblem[] = [
      ...checkBlock(vocabulary, block, pointer),
      ...unknownIslands.map(({ name, node }) => ({
        code: 'unknown_island' as const,
        pointer: `${pointer}/nodes/${node}/island`,
        message: `is no island that the version declares${hint(name)}`,
      })),
    ];
    const key = (block as Partial<Block> | null)?.key;
    if (typeof key === 'string' && keys.has(key)) {
      const message = 'is the key of another block too';
      problems.push({ code: 'duplicate_block_key', pointer: `${pointer}/key`, message });
    }
    keys.add(key);
    return problems.sort((a, b) => precedence.indexOf(a.code) - precedence.indexOf(b.code));
  });
}

/** The islands that a block's nodes name, whatever else is in it. */
function findIslands(block: unknown): { name: string; node: number }[] {
  const nodes = (block as { nodes?: unknown } | null)?.nodes;
  if (!Array.isArray(nodes)) return [];
  return nodes.flatMap((node: Partial<BlockNode> | null, i) =>
    typeof node?.island === 'string' ? [{ name: node.island, node: i }] : [],
  );
}

/**
 * A block that was found good, as it is stored: without what it does not have a field for, and without the keys by
 * which a node would claim to be a block reference (`store-api.md 4.12`, rule 5). The rest is as it was sent.
 */
export function toStored({ key, name, icon, rootId, nodes, slots, traits }: Block): Block {
  return {
    key,
    name,
    ...(icon && { icon }),
    rootId,
    nodes: nodes.map(({ id, type, children, props, island }) => ({
      id,
      type,
      ...(children && { children }),
      ...(props && { props: withoutReference(props) as Record<string, unknown> }),
      ...(island && { island }),
    })),
    ...(slots && { slots }),
    ...(traits && { traits }),
  };
}
