import { limits, type PageDocument, type Vocabulary } from '@waybill/page';
import { ancestors, findSiblingIndex, getChildIds, outermostIds, subtree, type Tree } from './tree.ts';

/** The nodes to be placed somewhere: new ones, or nodes of the tree that move. */
export interface DropPayload {
  readonly types: ReadonlySet<string>;
  /** Number of roots, which will be siblings. */
  readonly rootCount: number;
  /** Number of levels. */
  readonly depth: number;
  /** Number of nodes that the document gains; 0 for a move. */
  readonly addedNodes: number;
  /** The ids of moving nodes and everything below them, which cannot be the target. */
  readonly movedIds: ReadonlySet<string>;
}

/** The reason why a load may not be placed somewhere. */
export type Refusal =
  | { readonly reason: 'leaf' | 'full' | 'depth' | 'count' | 'inside' }
  /** An element of type `by` surrounds the place and excludes elements of `type`. */
  | { readonly reason: 'excluded'; readonly type: string; readonly by: string };

export interface InsertPosition {
  readonly parentId: string;
  readonly index: number;
}

/** Describes new nodes, as from the insert panel or the clipboard. */
export function describeFragments(fragments: readonly PageDocument[]): DropPayload {
  return {
    types: new Set(fragments.flatMap(({ nodes }) => nodes.map(({ type }) => type))),
    rootCount: fragments.length,
    depth: Math.max(0, ...fragments.map(measureDepth)),
    addedNodes: fragments.reduce((sum, { nodes }) => sum + nodes.length, 0),
    movedIds: new Set(),
  };
}

/** Describes nodes that move within their tree. */
export function describeNodes(tree: Tree, ids: readonly string[]): DropPayload {
  const fragments = outermostIds(tree, ids).map((id) => ({ rootId: id, nodes: [...subtree(tree, id)] }));
  const movedIds = new Set(fragments.flatMap(({ nodes }) => nodes.map(({ id }) => id)));
  return { ...describeFragments(fragments), addedNodes: 0, movedIds };
}

/** Returns the reason why the load may not become children of a node; undefined if it may (`decisions.md 4.3`). */
export function findRefusal(
  vocabulary: Vocabulary,
  tree: Tree,
  parentId: string,
  { types, rootCount, depth, addedNodes, movedIds }: DropPayload,
): Refusal | undefined {
  const above = [parentId, ...ancestors(tree, parentId)];
  if (above.some((id) => movedIds.has(id))) return { reason: 'inside' };
  const element = findElementType(vocabulary, tree, parentId);
  if (element?.children !== 'any') return { reason: 'leaf' };
  const others = getChildIds(tree, parentId).filter((id) => !movedIds.has(id)).length;
  if (others + rootCount > (element.maxChildren ?? Number.POSITIVE_INFINITY)) return { reason: 'full' };
  for (const id of above) {
    const type = findElementType(vocabulary, tree, id)?.excludes?.find((excluded) => types.has(excluded));
    if (type !== undefined) return { reason: 'excluded', type, by: tree.nodes.get(id)!.type };
  }
  if (above.length + depth > limits.depth) return { reason: 'depth' };
  if (tree.nodes.size + addedNodes > limits.nodes) return { reason: 'count' };
  return undefined;
}

/**
 * Returns the place for a load without a pointer: at the end of a selected box, right after any other selected node, or
 * at the end of the page without a selection. If the load is not allowed there, the place after the parent is tried.
 */
export function findInsertPosition(
  vocabulary: Vocabulary,
  tree: Tree,
  selection: readonly string[],
  payload: DropPayload,
): InsertPosition | undefined {
  const last = outermostIds(tree, selection).at(-1) ?? tree.rootId;
  const inside = { parentId: last, index: getChildIds(tree, last).length };
  const after = [last, ...ancestors(tree, last)].flatMap((id) => {
    const parentId = tree.parents.get(id);
    return parentId === undefined ? [] : [{ parentId, index: findSiblingIndex(tree, id) + 1 }];
  });
  return [inside, ...after].find(({ parentId }) => !findRefusal(vocabulary, tree, parentId, payload));
}

/**
 * Returns the place for a section: the requested one if it is between two parts of the page, else right after the part
 * with the selection, else at the end of the page.
 */
export function findSectionPosition(
  tree: Tree,
  selection: readonly string[],
  requested?: InsertPosition,
): InsertPosition {
  const parts = getChildIds(tree, tree.rootId);
  if (requested?.parentId === tree.rootId) return requested;
  const last = outermostIds(tree, selection).at(-1) ?? tree.rootId;
  const at = [last, ...ancestors(tree, last)].map((id) => parts.indexOf(id)).find((index) => index >= 0);
  return { parentId: tree.rootId, index: at === undefined ? parts.length : at + 1 };
}

function findElementType(vocabulary: Vocabulary, tree: Tree, id: string) {
  const type = tree.nodes.get(id)?.type ?? '';
  return Object.hasOwn(vocabulary.elementTypes, type) ? vocabulary.elementTypes[type] : undefined;
}

function measureDepth({ rootId, nodes }: PageDocument): number {
  const children = new Map(nodes.map((node) => [node.id, node.children ?? []]));
  let level = [rootId];
  let depth = 0;
  // Also ends for a cyclic graph, which the check of the document refuses.
  for (; level.length > 0 && depth <= limits.depth; depth++)
    level = level.flatMap((id) => children.get(id) ?? []);
  return depth;
}
