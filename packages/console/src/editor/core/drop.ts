import { limits, type PageDocument, type Vocabulary } from '@waybill/page';
import { ancestors, childrenOf, indexOf, outermost, subtree, type Tree } from './tree.ts';

/** What is to be put somewhere: new nodes, or nodes of the tree that move. */
export interface Load {
  readonly types: ReadonlySet<string>;
  /** How many things stand side by side. */
  readonly roots: number;
  /** How many levels it has. */
  readonly depth: number;
  /** How many nodes the document gains by it: none where it only moves. */
  readonly gained: number;
  /** The nodes that move, all below them included: none of them can be the place. */
  readonly moved: ReadonlySet<string>;
}

/** Why something may not stand in a place. */
export type Refusal =
  | { readonly reason: 'leaf' | 'full' | 'depth' | 'count' | 'inside' }
  /** An element of the type `by` is around the place, and has none of `type` in it. */
  | { readonly reason: 'excluded'; readonly type: string; readonly by: string };

export interface InsertPlace {
  readonly parentId: string;
  readonly index: number;
}

/** New nodes, as from the insert panel or the clipboard. */
export function loadOf(fragments: readonly PageDocument[]): Load {
  return {
    types: new Set(fragments.flatMap(({ nodes }) => nodes.map(({ type }) => type))),
    roots: fragments.length,
    depth: Math.max(0, ...fragments.map(depthOf)),
    gained: fragments.reduce((sum, { nodes }) => sum + nodes.length, 0),
    moved: new Set(),
  };
}

/** Nodes that move within their tree. */
export function loadOfNodes(tree: Tree, ids: readonly string[]): Load {
  const fragments = outermost(tree, ids).map((id) => ({ rootId: id, nodes: [...subtree(tree, id)] }));
  const moved = new Set(fragments.flatMap(({ nodes }) => nodes.map(({ id }) => id)));
  return { ...loadOf(fragments), gained: 0, moved };
}

/** Why the load may not become children of a node; undefined where it may (`decisions.md 4.3`). */
export function refusalAt(
  vocabulary: Vocabulary,
  tree: Tree,
  parentId: string,
  { types, roots, depth, gained, moved }: Load,
): Refusal | undefined {
  const above = [parentId, ...ancestors(tree, parentId)];
  if (above.some((id) => moved.has(id))) return { reason: 'inside' };
  const element = elementOf(vocabulary, tree, parentId);
  if (element?.children !== 'any') return { reason: 'leaf' };
  const others = childrenOf(tree, parentId).filter((id) => !moved.has(id)).length;
  if (others + roots > (element.maxChildren ?? Number.POSITIVE_INFINITY)) return { reason: 'full' };
  for (const id of above) {
    const type = elementOf(vocabulary, tree, id)?.excludes?.find((excluded) => types.has(excluded));
    if (type !== undefined) return { reason: 'excluded', type, by: tree.nodes.get(id)!.type };
  }
  if (above.length + depth > limits.depth) return { reason: 'depth' };
  if (tree.nodes.size + gained > limits.nodes) return { reason: 'count' };
  return undefined;
}

/**
 * Where the load goes when nobody points: at the end of a selected box, right after any other selected node, at the
 * end of the page where nothing is selected; where it may not stand there, right after what holds that.
 */
export function insertPlace(
  vocabulary: Vocabulary,
  tree: Tree,
  selection: readonly string[],
  load: Load,
): InsertPlace | undefined {
  const last = outermost(tree, selection).at(-1) ?? tree.rootId;
  const within = { parentId: last, index: childrenOf(tree, last).length };
  const after = [last, ...ancestors(tree, last)].flatMap((id) => {
    const parentId = tree.parents.get(id);
    return parentId === undefined ? [] : [{ parentId, index: indexOf(tree, id) + 1 }];
  });
  return [within, ...after].find(({ parentId }) => !refusalAt(vocabulary, tree, parentId, load));
}

/**
 * Where a section goes: right after the part of the page that holds the selection, else at the end of the page; where
 * it is asked for if that is between two parts.
 */
export function placeOfSection(tree: Tree, selection: readonly string[], asked?: InsertPlace): InsertPlace {
  const parts = childrenOf(tree, tree.rootId);
  if (asked?.parentId === tree.rootId) return asked;
  const last = outermost(tree, selection).at(-1) ?? tree.rootId;
  const at = [last, ...ancestors(tree, last)].map((id) => parts.indexOf(id)).find((index) => index >= 0);
  return { parentId: tree.rootId, index: at === undefined ? parts.length : at + 1 };
}

function elementOf(vocabulary: Vocabulary, tree: Tree, id: string) {
  const type = tree.nodes.get(id)?.type ?? '';
  return Object.hasOwn(vocabulary.elementTypes, type) ? vocabulary.elementTypes[type] : undefined;
}

function depthOf({ rootId, nodes }: PageDocument): number {
  const children = new Map(nodes.map((node) => [node.id, node.children ?? []]));
  let level = [rootId];
  let depth = 0;
  // A graph that goes round ends here too; the check of the document refuses it.
  for (; level.length > 0 && depth <= limits.depth; depth++)
    level = level.flatMap((id) => children.get(id) ?? []);
  return depth;
}
