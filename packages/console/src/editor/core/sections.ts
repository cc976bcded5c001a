import type { PageDocument } from '@waybill/page';
import type { Change } from './changes.ts';
import { fragmentOf, renewed, replace } from './commands.ts';
import { childrenOf, freshId, indexOf, outermost, subtree, type Tree } from './tree.ts';

/**
 * Returns the content of a new global section made of the nodes: a single box as it is, otherwise a new box around
 * them. Undefined unless they are side by side; the root is the page itself and cannot become a section.
 */
export function sectionOf(tree: Tree, ids: readonly string[]): PageDocument | undefined {
  const run = runOf(tree, ids);
  if (!run) return undefined;
  const [first] = run.ids;
  if (run.ids.length === 1 && childrenOf(tree, first!).length > 0) return renewed(fragmentOf(tree, first!));
  const box = { id: freshId(), type: 'container', children: run.ids };
  return renewed({ rootId: box.id, nodes: [box, ...run.ids.flatMap((id) => [...subtree(tree, id)])] });
}

/** Replaces nodes by a reference to the section made of them. */
export function asReference(tree: Tree, ids: readonly string[], sectionId: string): Change[] {
  const run = runOf(tree, ids);
  if (!run) return [];
  const before = tree.nodes.get(run.parentId)!;
  const reference = { id: freshId(), type: 'sectionRef', props: { specials: { sectionId } } };
  const children = childrenOf(tree, run.parentId).toSpliced(run.index, run.ids.length, reference.id);
  return [
    { id: run.parentId, before, after: { ...before, children } },
    ...run.ids.flatMap((id) => [...subtree(tree, id)].map((node) => ({ id: node.id, before: node }))),
    { id: reference.id, after: reference },
  ];
}

/**
 * Replaces a reference to a section by the section's content; the section stays unchanged elsewhere. Returns no changes
 * for any other node: an app's block is never taken apart (`store-api.md 4.12`, rules 1 and 4).
 */
export function detach(tree: Tree, id: string, section: PageDocument): Change[] {
  return tree.nodes.get(id)?.type === 'sectionRef' ? replace(tree, id, renewed(section)) : [];
}

/** Returns the nodes in their order as siblings; undefined if they are not adjacent. */
function runOf(tree: Tree, ids: readonly string[]) {
  const own = outermost(tree, ids);
  const parentId = own[0] === undefined ? undefined : tree.parents.get(own[0]);
  if (parentId === undefined) return undefined;
  const index = indexOf(tree, own[0]!);
  const isRun = own.every((id, i) => childrenOf(tree, parentId)[index + i] === id);
  return isRun ? { ids: own, parentId, index } : undefined;
}
