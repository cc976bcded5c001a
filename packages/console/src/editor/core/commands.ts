import type { Breakpoint, Json, NodeProps, PageDocument, PageNode, SlotSettings } from '@waybill/page';
import type { Change } from './changes.ts';
import {
  ancestors,
  createNodeId,
  findSiblingIndex,
  getChildIds,
  outermostIds,
  subtree,
  type Tree,
} from './tree.ts';

/**
 * Commands return changes of a tree without checking them against the vocabulary; the editor checks them before it
 * applies any.
 */

/** The place of a value in a node's props; a special has no width. */
export type PropertyPath =
  | { readonly target: 'style' | 'config'; readonly breakpoint: Breakpoint; readonly key: string }
  | { readonly target: 'specials'; readonly key: string };

/** Sets a value on each of the nodes; `undefined` removes it, so that the inherited value shows. */
export const setValue = (
  tree: Tree,
  ids: readonly string[],
  path: PropertyPath,
  value: Json | undefined,
): Change[] => setValues(tree, ids, [path], value);

/** Sets the same value at several places of each of the nodes. */
export function setValues(
  tree: Tree,
  ids: readonly string[],
  paths: readonly PropertyPath[],
  value: Json | undefined,
): Change[] {
  return ids.flatMap((id) => {
    const before = tree.nodes.get(id);
    if (!before) return [];
    return [{ id, before, after: { ...before, props: withValues(before.props ?? {}, paths, value) } }];
  });
}

/** Sets the label of a node; an empty one removes it. */
export function rename(tree: Tree, id: string, label: string): Change[] {
  const before = tree.nodes.get(id);
  if (!before || (before.label ?? '') === label) return [];
  const { label: _, ...plain } = before;
  return [{ id, before, after: label === '' ? plain : { ...plain, label } }];
}

/** Sets a value at places of a slot of a block, as far as a merchant may (`store-api.md 4.12`, rules 2 and 3). */
export function setSettings(
  tree: Tree,
  referenceId: string,
  slot: string,
  paths: readonly PropertyPath[],
  value: Json | undefined,
): Change[] {
  const before = tree.nodes.get(referenceId);
  if (before?.type !== 'blockRef') return [];
  const all = before.props?.settings ?? {};
  const own = withValues((Object.hasOwn(all, slot) ? all[slot] : undefined) ?? {}, paths, value);
  const { [slot]: _, ...others } = all;
  const settings = Object.keys(own).length === 0 ? others : { ...others, [slot]: own };
  return [{ id: referenceId, before, after: { ...before, props: { ...before.props, settings } } }];
}

/** Returns the value at a place; undefined if none is set. */
export function valueAt(props: SlotSettings | null | undefined, path: PropertyPath): Json | undefined {
  const values = path.target === 'specials' ? props?.specials : props?.[path.target]?.[path.breakpoint];
  return values && Object.hasOwn(values, path.key) ? values[path.key] : undefined;
}

const withValues = <Props extends SlotSettings | NodeProps>(
  props: Props,
  paths: readonly PropertyPath[],
  value: Json | undefined,
): Props => paths.reduce((changed, path) => withValue(changed, path, value), props);

function withValue<Props extends SlotSettings | NodeProps>(
  props: Props,
  path: PropertyPath,
  value: Json | undefined,
): Props {
  const { target, key } = path;
  if (target === 'specials') return withMember(props, target, withKey(props.specials, key, value));
  const widths = props[target];
  return withMember(
    props,
    target,
    withMember(widths ?? {}, path.breakpoint, withKey(widths?.[path.breakpoint], key, value)),
  );
}

function withKey(
  values: Readonly<Record<string, Json>> | null | undefined,
  key: string,
  value: Json | undefined,
): Record<string, Json> {
  const { [key]: _, ...others } = values ?? {};
  return value === undefined ? others : { ...values, [key]: value };
}

/** Returns the whole with a changed part. An empty part is removed, so that undoing a setting leaves no trace. */
function withMember<Members extends object>(object: Members, name: keyof Members, value: object): Members {
  if (Object.keys(value).length > 0) return { ...object, [name]: value };
  const { [name]: _, ...others } = object;
  return others as Members;
}

/** Inserts a subtree as the child at `index`. Its ids must be new to the tree; `withFreshIds` makes them so. */
export function insert(tree: Tree, parentId: string, index: number, fragment: PageDocument): Change[] {
  const before = tree.nodes.get(parentId);
  if (!before) return [];
  const children = (before.children ?? []).toSpliced(index, 0, fragment.rootId);
  return [
    { id: parentId, before, after: { ...before, children } },
    ...fragment.nodes.map((node) => ({ id: node.id, after: node })),
  ];
}

/** Removes nodes with everything below them. The root stays. */
export function remove(tree: Tree, ids: readonly string[]): Change[] {
  const removedIds = outermostIds(tree, ids).filter((id) => id !== tree.rootId);
  return [
    ...detachNodes(tree, removedIds),
    ...removedIds.flatMap((id) => [...subtree(tree, id)].map((before) => ({ id: before.id, before }))),
  ];
}

/**
 * Moves nodes, in the document's order, next to each other among the children of `parentId`, before the child now at
 * `index`. Returns no changes if the place is inside one of them.
 */
export function move(tree: Tree, ids: readonly string[], parentId: string, index: number): Change[] {
  const movedRoots = outermostIds(tree, ids).filter((id) => id !== tree.rootId);
  const targetIds = new Set([parentId, ...ancestors(tree, parentId)]);
  const parent = tree.nodes.get(parentId);
  if (!parent || movedRoots.length === 0 || movedRoots.some((id) => targetIds.has(id))) return [];
  const movedIds = new Set(movedRoots);
  const all = getChildIds(tree, parentId);
  const rest = all.filter((id) => !movedIds.has(id));
  const at = all.slice(0, index).filter((id) => !movedIds.has(id)).length;
  const after = { ...parent, children: rest.toSpliced(at, 0, ...movedRoots) };
  const detachChanges = detachNodes(
    tree,
    movedRoots.filter((id) => tree.parents.get(id) !== parentId),
  );
  return [...detachChanges, { id: parentId, before: parent, after }];
}

/** Inserts a copy of each node right after its original. Also returns the ids of the copies. */
export function duplicate(tree: Tree, ids: readonly string[]): { changes: Change[]; copies: string[] } {
  const originals = outermostIds(tree, ids).filter((id) => id !== tree.rootId);
  const copies = originals.map((id) => withFreshIds(extractFragment(tree, id)));
  const children = new Map<string, string[]>();
  for (const [i, id] of originals.entries()) {
    const parentId = tree.parents.get(id)!;
    const siblings = children.get(parentId) ?? [...getChildIds(tree, parentId)];
    children.set(parentId, siblings.toSpliced(siblings.indexOf(id) + 1, 0, copies[i]!.rootId));
  }
  const parents = [...children].map(([id, own]) => {
    const before = tree.nodes.get(id)!;
    return { id, before, after: { ...before, children: own } };
  });
  const created = copies.flatMap(({ nodes }) => nodes.map((node) => ({ id: node.id, after: node })));
  return { changes: [...parents, ...created], copies: copies.map(({ rootId }) => rootId) };
}

/** Wraps siblings in a new box at the place of the first one; `box` is a node without children. */
export function wrap(tree: Tree, ids: readonly string[], box: PageNode): Change[] {
  const wrapped = outermostIds(tree, ids).filter((id) => id !== tree.rootId);
  const parentId = wrapped[0] === undefined ? undefined : tree.parents.get(wrapped[0]);
  if (parentId === undefined || wrapped.some((id) => tree.parents.get(id) !== parentId)) return [];
  const before = tree.nodes.get(parentId)!;
  const wrappedIds = new Set(wrapped);
  const at = findSiblingIndex(tree, wrapped[0]!);
  const children = getChildIds(tree, parentId)
    .toSpliced(at, 0, box.id)
    .filter((id) => !wrappedIds.has(id));
  return [
    { id: parentId, before, after: { ...before, children } },
    { id: box.id, after: { ...box, children: wrapped } },
  ];
}

/** Replaces a box by its children. */
export function unwrap(tree: Tree, id: string): Change[] {
  const parentId = tree.parents.get(id);
  const box = tree.nodes.get(id);
  if (parentId === undefined || !box) return [];
  const before = tree.nodes.get(parentId)!;
  const children = getChildIds(tree, parentId).flatMap((child) =>
    child === id ? getChildIds(tree, id) : [child],
  );
  return [
    { id: parentId, before, after: { ...before, children } },
    { id, before: box },
  ];
}

/** Replaces one subtree by another, such as a section's reference by its content. */
export function replace(tree: Tree, id: string, fragment: PageDocument): Change[] {
  const parentId = tree.parents.get(id);
  if (parentId === undefined) return [];
  const before = tree.nodes.get(parentId)!;
  const children = getChildIds(tree, parentId).map((child) => (child === id ? fragment.rootId : child));
  return [
    { id: parentId, before, after: { ...before, children } },
    ...[...subtree(tree, id)].map((node) => ({ id: node.id, before: node })),
    ...fragment.nodes.map((node) => ({ id: node.id, after: node })),
  ];
}

/** Turns the tree into another document, such as an earlier revision, whose root takes the tree's root id. */
export function replaceDocument(tree: Tree, document: PageDocument): Change[] {
  const swappedIds = new Map([
    [tree.rootId, document.rootId],
    [document.rootId, tree.rootId],
  ]);
  const swapId = (id: string) => swappedIds.get(id) ?? id;
  const targetNodes = document.nodes.map((node) => ({
    ...node,
    id: swapId(node.id),
    ...(node.children && { children: node.children.map(swapId) }),
  }));
  const changed = targetNodes.flatMap((after) => {
    const before = tree.nodes.get(after.id);
    return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ id: after.id, before, after }];
  });
  const remainingIds = new Set(targetNodes.map(({ id }) => id));
  const removedIds = [...tree.nodes.values()].filter(({ id }) => !remainingIds.has(id));
  return [...changed, ...removedIds.map((before) => ({ id: before.id, before }))];
}

/** Returns a node with everything below it as a separate document. */
export function extractFragment(tree: Tree, id: string): PageDocument {
  return { rootId: id, nodes: [...subtree(tree, id)] };
}

/** Returns the same subtree with new ids. */
export function withFreshIds({ rootId, nodes }: PageDocument): PageDocument {
  const ids = new Map(nodes.map(({ id }) => [id, createNodeId()]));
  return {
    rootId: ids.get(rootId)!,
    nodes: nodes.map(({ children, ...node }) => ({
      ...node,
      id: ids.get(node.id)!,
      ...(children && { children: children.flatMap((child) => ids.get(child) ?? []) }),
    })),
  };
}

/** Returns the changes that remove the nodes from their parents. */
function detachNodes(tree: Tree, ids: readonly string[]): Change[] {
  const removedIds = new Set(ids);
  const parents = new Set(ids.flatMap((id) => tree.parents.get(id) ?? []));
  return [...parents].map((id) => {
    const before = tree.nodes.get(id)!;
    return {
      id,
      before,
      after: { ...before, children: getChildIds(tree, id).filter((child) => !removedIds.has(child)) },
    };
  });
}
