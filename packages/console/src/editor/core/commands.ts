import type { Breakpoint, Json, NodeProps, PageDocument, PageNode, SlotSettings } from '@waybill/page';
import type { Change } from './changes.ts';
import { ancestors, childrenOf, freshId, indexOf, outermost, subtree, type Tree } from './tree.ts';

/**
 * Commands return changes of a tree without checking them against the vocabulary; the editor checks them before it
 * applies any.
 */

/** The place of a value in a node's props; a special has no width. */
export type PropertyPath =
  | { readonly target: 'style' | 'config'; readonly breakpoint: Breakpoint; readonly key: string }
  | { readonly target: 'specials'; readonly key: string };

/** Sets a value on each of the nodes; `undefined` removes it, so that the inherited value shows. */
export function setValue(
  tree: Tree,
  ids: readonly string[],
  place: PropertyPath,
  value: Json | undefined,
): Change[] {
  return ids.flatMap((id) => {
    const before = tree.nodes.get(id);
    if (!before) return [];
    return [{ id, before, after: { ...before, props: withValue(before.props ?? {}, place, value) } }];
  });
}

/** Sets the label of a node; an empty one removes it. */
export function rename(tree: Tree, id: string, label: string): Change[] {
  const before = tree.nodes.get(id);
  if (!before || (before.label ?? '') === label) return [];
  const { label: _, ...plain } = before;
  return [{ id, before, after: label === '' ? plain : { ...plain, label } }];
}

/** Sets a value on a slot of a block, as far as a merchant may (`store-api.md 4.12`, rules 2 and 3). */
export function setSetting(
  tree: Tree,
  referenceId: string,
  slot: string,
  place: PropertyPath,
  value: Json | undefined,
): Change[] {
  const before = tree.nodes.get(referenceId);
  if (before?.type !== 'blockRef') return [];
  const all = before.props?.settings ?? {};
  const own = withValue((Object.hasOwn(all, slot) ? all[slot] : undefined) ?? {}, place, value);
  const { [slot]: _, ...others } = all;
  const settings = Object.keys(own).length === 0 ? others : { ...others, [slot]: own };
  return [{ id: referenceId, before, after: { ...before, props: { ...before.props, settings } } }];
}

/** Returns the value at a place; undefined if none is set. */
export function valueAt(props: SlotSettings | null | undefined, place: PropertyPath): Json | undefined {
  const values = place.target === 'specials' ? props?.specials : props?.[place.target]?.[place.breakpoint];
  return values && Object.hasOwn(values, place.key) ? values[place.key] : undefined;
}

function withValue<Props extends SlotSettings | NodeProps>(
  props: Props,
  place: PropertyPath,
  value: Json | undefined,
): Props {
  const { target, key } = place;
  if (target === 'specials') return withPart(props, target, withKey(props.specials, key, value));
  const widths = props[target];
  return withPart(
    props,
    target,
    withPart(widths ?? {}, place.breakpoint, withKey(widths?.[place.breakpoint], key, value)),
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
function withPart<Whole extends object>(whole: Whole, name: keyof Whole, part: object): Whole {
  if (Object.keys(part).length > 0) return { ...whole, [name]: part };
  const { [name]: _, ...others } = whole;
  return others as Whole;
}

/** Inserts a subtree as the child at `index`. Its ids must be new to the tree; `renewed` makes them so. */
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
  const gone = outermost(tree, ids).filter((id) => id !== tree.rootId);
  return [
    ...detached(tree, gone),
    ...gone.flatMap((id) => [...subtree(tree, id)].map((before) => ({ id: before.id, before }))),
  ];
}

/**
 * Moves nodes, in the document's order, next to each other among the children of `parentId`, before the child now at
 * `index`. Returns no changes if the place is inside one of them.
 */
export function move(tree: Tree, ids: readonly string[], parentId: string, index: number): Change[] {
  const moved = outermost(tree, ids).filter((id) => id !== tree.rootId);
  const place = new Set([parentId, ...ancestors(tree, parentId)]);
  const parent = tree.nodes.get(parentId);
  if (!parent || moved.length === 0 || moved.some((id) => place.has(id))) return [];
  const set = new Set(moved);
  const all = childrenOf(tree, parentId);
  const rest = all.filter((id) => !set.has(id));
  const at = all.slice(0, index).filter((id) => !set.has(id)).length;
  const after = { ...parent, children: rest.toSpliced(at, 0, ...moved) };
  const left = detached(
    tree,
    moved.filter((id) => tree.parents.get(id) !== parentId),
  );
  return [...left, { id: parentId, before: parent, after }];
}

/** Inserts a copy of each node right after its original. Also returns the ids of the copies. */
export function duplicate(tree: Tree, ids: readonly string[]): { changes: Change[]; copies: string[] } {
  const originals = outermost(tree, ids).filter((id) => id !== tree.rootId);
  const copies = originals.map((id) => renewed(fragmentOf(tree, id)));
  const children = new Map<string, string[]>();
  for (const [i, id] of originals.entries()) {
    const parentId = tree.parents.get(id)!;
    const present = children.get(parentId) ?? [...childrenOf(tree, parentId)];
    children.set(parentId, present.toSpliced(present.indexOf(id) + 1, 0, copies[i]!.rootId));
  }
  const parents = [...children].map(([id, own]) => {
    const before = tree.nodes.get(id)!;
    return { id, before, after: { ...before, children: own } };
  });
  const made = copies.flatMap(({ nodes }) => nodes.map((node) => ({ id: node.id, after: node })));
  return { changes: [...parents, ...made], copies: copies.map(({ rootId }) => rootId) };
}

/** Wraps siblings in a new box at the place of the first one; `box` is a node without children. */
export function wrap(tree: Tree, ids: readonly string[], box: PageNode): Change[] {
  const wrapped = outermost(tree, ids).filter((id) => id !== tree.rootId);
  const parentId = wrapped[0] === undefined ? undefined : tree.parents.get(wrapped[0]);
  if (parentId === undefined || wrapped.some((id) => tree.parents.get(id) !== parentId)) return [];
  const before = tree.nodes.get(parentId)!;
  const set = new Set(wrapped);
  const at = indexOf(tree, wrapped[0]!);
  const children = childrenOf(tree, parentId)
    .toSpliced(at, 0, box.id)
    .filter((id) => !set.has(id));
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
  const children = childrenOf(tree, parentId).flatMap((child) =>
    child === id ? childrenOf(tree, id) : [child],
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
  const children = childrenOf(tree, parentId).map((child) => (child === id ? fragment.rootId : child));
  return [
    { id: parentId, before, after: { ...before, children } },
    ...[...subtree(tree, id)].map((node) => ({ id: node.id, before: node })),
    ...fragment.nodes.map((node) => ({ id: node.id, after: node })),
  ];
}

/** Turns the tree into another document, such as an earlier revision, whose root takes the tree's root id. */
export function becomeDocument(tree: Tree, document: PageDocument): Change[] {
  const swapped = new Map([
    [tree.rootId, document.rootId],
    [document.rootId, tree.rootId],
  ]);
  const idOf = (id: string) => swapped.get(id) ?? id;
  const wanted = document.nodes.map((node) => ({
    ...node,
    id: idOf(node.id),
    ...(node.children && { children: node.children.map(idOf) }),
  }));
  const changed = wanted.flatMap((after) => {
    const before = tree.nodes.get(after.id);
    return JSON.stringify(before) === JSON.stringify(after)
      ? []
      : [{ id: after.id, ...(before && { before }), after }];
  });
  const kept = new Set(wanted.map(({ id }) => id));
  const gone = [...tree.nodes.values()].filter(({ id }) => !kept.has(id));
  return [...changed, ...gone.map((before) => ({ id: before.id, before }))];
}

/** Returns a node with everything below it as a separate document. */
export function fragmentOf(tree: Tree, id: string): PageDocument {
  return { rootId: id, nodes: [...subtree(tree, id)] };
}

/** Returns the same subtree with new ids. */
export function renewed({ rootId, nodes }: PageDocument): PageDocument {
  const ids = new Map(nodes.map(({ id }) => [id, freshId()]));
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
function detached(tree: Tree, ids: readonly string[]): Change[] {
  const gone = new Set(ids);
  const parents = new Set(ids.flatMap((id) => tree.parents.get(id) ?? []));
  return [...parents].map((id) => {
    const before = tree.nodes.get(id)!;
    return {
      id,
      before,
      after: { ...before, children: childrenOf(tree, id).filter((child) => !gone.has(child)) },
    };
  });
}
