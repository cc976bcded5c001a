import { findSiblingIndex, getChildIds, type Tree } from '../core/tree.ts';

/**
 * Returns the node that an arrow key leads to: up and down among siblings, left to the parent, right to the first
 * child.
 */
export function findNodeByKey(tree: Tree, id: string | undefined, key: string): string | undefined {
  if (id === undefined) return tree.rootId;
  const parentId = tree.parents.get(id);
  const siblings = parentId === undefined ? [id] : getChildIds(tree, parentId);
  const at = parentId === undefined ? 0 : findSiblingIndex(tree, id);
  switch (key) {
    case 'ArrowUp':
      return siblings[at - 1];
    case 'ArrowDown':
      return siblings[at + 1];
    case 'ArrowLeft':
      return parentId;
    case 'ArrowRight':
      return getChildIds(tree, id)[0];
    case 'Home':
      return siblings[0];
    case 'End':
      return siblings.at(-1);
    default:
      return undefined;
  }
}
