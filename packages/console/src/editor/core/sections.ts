import type { PageDocument } from '@waybill/page';
import type { Change } from './changes.ts';
import { extractFragment, replace, withFreshIds } from './commands.ts';
import { createNodeId, findSiblingIndex, getChildIds, outermostIds, subtree, type Tree } from './tree.ts';

/**
 * Returns the content of a new global section made of the nodes: a single box as it is, otherwise a new box around
 * them. Undefined unless they are side by side; the root is the page itself and cannot become a section.
 */
export function extractSection(tree: Tree, ids: readonly string[]): PageDocument | undefined {
  const run = findRun(tree, ids);
  if (!run) return undefined;
  const [first] = run.ids;
  if (run.ids.length === 1 && getChildIds(tree, first!).length > 0)
    return withFreshIds(extractFragment(tree, first!));
  const box = { id: createNodeId(), type: 'container', children: run.ids };
  return withFreshIds({ rootId: box.id, nodes: [box, ...run.ids.flatMap((id) => [...subtree(tree, id)])] });
}

/** Replaces nodes by a reference to the section made of them. */
export function createReferenceChanges(tree: Tree, ids: readonly string[], sectionId: string): Change[] {
  const run = findRun(tree, ids);
  if (!run) return [];
  const before = tree.nodes.get(run.parentId)!;
  const reference = { id: createNodeId(), type: 'sectionRef', props: { specials: { sectionId } } };
  const children = getChildIds(tree, run.parentId).toSpliced(run.index, run.ids.length, reference.id);
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
  return tree.nodes.get(id)?.type === 'sectionRef' ? replace(tree, id, withFreshIds(section)) : [];
}

/** Returns the nodes in their order as siblings; undefined if they are not adjacent. */
function findRun(tree: Tree, ids: readonly string[]) {
  const rootIds = outermostIds(tree, ids);
  const parentId = rootIds[0] === undefined ? undefined : tree.parents.get(rootIds[0]);
  if (parentId === undefined) return undefined;
  const index = findSiblingIndex(tree, rootIds[0]!);
  const areAdjacent = rootIds.every((id, i) => getChildIds(tree, parentId)[index + i] === id);
  return areAdjacent ? { ids: rootIds, parentId, index } : undefined;
}
