import type { PageNode } from '@waybill/page';
import { bytesOf, type Tree } from './tree.ts';

/** What a step did to one node: made it (no `before`), took it away (no `after`) or changed it. */
export interface Change {
  readonly id: string;
  readonly before?: PageNode;
  readonly after?: PageNode;
}

/** The tree after the changes. The root stays the root. */
export function applied(tree: Tree, changes: readonly Change[]): Tree {
  const nodes = new Map(tree.nodes);
  const isStructural = changes.some(
    ({ before, after }) => !before || !after || before.children !== after.children,
  );
  let { bytes } = tree;
  for (const { id, before, after } of changes) {
    if (after) nodes.set(id, after);
    else nodes.delete(id);
    // With the comma that parts it from the next.
    bytes += (after ? bytesOf(after) + 1 : 0) - (before ? bytesOf(before) + 1 : 0);
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

/** What takes the changes back. */
export function reversed(changes: readonly Change[]): Change[] {
  return changes
    .map(({ id, before, after }) => ({
      id,
      ...(after && { before: after }),
      ...(before && { after: before }),
    }))
    .toReversed();
}

/** Two steps in one: what was before the first, and is after the second. */
export function joined(first: readonly Change[], second: readonly Change[]): Change[] {
  const byId = new Map(first.map((change) => [change.id, change]));
  for (const change of second) {
    const before = byId.has(change.id) ? byId.get(change.id)!.before : change.before;
    byId.set(change.id, {
      id: change.id,
      ...(before && { before }),
      ...(change.after && { after: change.after }),
    });
  }
  return [...byId.values()].filter(({ before, after }) => before !== after);
}
