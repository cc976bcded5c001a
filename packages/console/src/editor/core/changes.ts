import type { PageNode } from '@waybill/page';
import { jsonSize, type Tree } from './tree.ts';

/** The effect of a step on one node: created it (no `before`), removed it (no `after`) or changed it. */
export interface Change {
  readonly id: string;
  readonly before?: PageNode | undefined;
  readonly after?: PageNode | undefined;
}

/** Returns the tree after the changes. The root stays the root. */
export function applyToTree(tree: Tree, changes: readonly Change[]): Tree {
  const nodes = new Map(tree.nodes);
  const isStructural = changes.some(
    ({ before, after }) => !before || !after || before.children !== after.children,
  );
  let { bytes } = tree;
  for (const { id, before, after } of changes) {
    if (after) nodes.set(id, after);
    else nodes.delete(id);
    // Counts the comma that separates a node from the next one.
    bytes += (after ? jsonSize(after) + 1 : 0) - (before ? jsonSize(before) + 1 : 0);
  }
  if (!isStructural) return { ...tree, nodes, bytes };
  const parents = new Map(tree.parents);
  for (const { id, before, after } of changes) {
    if (!after) parents.delete(id);
    for (const child of before?.children ?? []) if (parents.get(child) === id) parents.delete(child);
  }
  for (const { id, after } of changes) for (const child of after?.children ?? []) parents.set(child, id);
  return { ...tree, nodes, parents, bytes };
}

/** Returns the changes that undo the given ones. */
export function invertChanges(changes: readonly Change[]): Change[] {
  return changes.map(({ id, before, after }) => ({ id, before: after, after: before })).toReversed();
}

/** Combines two steps into one: the state before the first and after the second. */
export function combineChanges(first: readonly Change[], second: readonly Change[]): Change[] {
  const byId = new Map(first.map((change) => [change.id, change]));
  for (const change of second) {
    const before = byId.has(change.id) ? byId.get(change.id)!.before : change.before;
    byId.set(change.id, { id: change.id, before, after: change.after });
  }
  return [...byId.values()].filter(({ before, after }) => before !== after);
}
