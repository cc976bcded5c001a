import type { Category } from './queries.ts';

type Placed = Pick<Category, 'id' | 'parentId' | 'position'>;

/** A category with its children, in order. */
export interface Branch<Item extends Placed = Category> {
  readonly id: string;
  readonly category: Item;
  readonly children: readonly Branch<Item>[];
}

/** The place of a category: its parent and its position below it, counted from 0. */
export interface TreePosition {
  parentId: string | null;
  position: number;
}

interface TreeIndex<Item extends Placed> {
  readonly byId: ReadonlyMap<string, Item>;
  readonly byParent: ReadonlyMap<string | null, readonly Item[]>;
  /** Position of each category among its siblings. */
  readonly rankById: ReadonlyMap<string, number>;
}

const indexes = new WeakMap<readonly Placed[], TreeIndex<Placed>>();

/** Returns the index of a list, built once per list: every row needs it to know where it may move. */
function getIndex<Item extends Placed>(categories: readonly Item[]): TreeIndex<Item> {
  let index = indexes.get(categories) as TreeIndex<Item> | undefined;
  if (index) return index;
  const byParent = Map.groupBy(categories, ({ parentId }) => parentId);
  for (const siblings of byParent.values()) siblings.sort((one, other) => one.position - other.position);
  const rankById = new Map(
    [...byParent.values()].flatMap((each) => each.map(({ id }, at) => [id, at] as const)),
  );
  index = { byId: new Map(categories.map((each) => [each.id, each])), byParent, rankById };
  indexes.set(categories, index);
  return index;
}

/**
 * Builds the tree. A collapsed category contains only its first child, which shows that it has any. A branch without
 * changes stays the same object as in `before`, which is updated to the new tree.
 */
export function buildBranches<Item extends Placed>(
  categories: readonly Item[],
  isOpen: (id: string) => boolean = () => true,
  before: Map<string, Branch<Item>> = new Map(),
): Branch<Item>[] {
  const { byParent } = getIndex(categories);
  const found = new Map<string, Branch<Item>>();
  const buildBranch = (category: Item): Branch<Item> => {
    const { id } = category;
    const below = byParent.get(id) ?? [];
    const children = (isOpen(id) ? below : below.slice(0, 1)).map(buildBranch);
    const last = before.get(id);
    const isSame =
      last?.category === category &&
      last.children.length === children.length &&
      children.every((child, at) => child === last.children[at]);
    const branch = isSame ? last : { id, category, children };
    found.set(id, branch);
    return branch;
  };
  const roots = (byParent.get(null) ?? []).map(buildBranch);
  before.clear();
  for (const [id, branch] of found) before.set(id, branch);
  return roots;
}

/** Returns the names from the root to a category: "Clothes › Shirts". */
export function formatPath(categories: ReadonlyMap<string, Category>, id: string): string {
  const names: string[] = [];
  for (let at = categories.get(id); at && names.length < 8; at = categories.get(at.parentId ?? ''))
    names.unshift(at.name);
  return names.join(' › ');
}

/** Whether a category is `other` or one of its descendants. */
export function isWithin(categories: readonly Placed[], id: string | null, other: string): boolean {
  const { byId } = getIndex(categories);
  for (let at = id, steps = 0; at !== null && steps < 100; at = byId.get(at)?.parentId ?? null, steps++)
    if (at === other) return true;
  return false;
}

/** Returns the categories after a move. */
export function withMoved<Item extends Placed>(
  categories: readonly Item[],
  id: string,
  { parentId, position }: TreePosition,
): Item[] {
  const { byId, byParent } = getIndex(categories);
  const moved = byId.get(id);
  if (!moved) return [...categories];
  const isSame = ({ id: other }: Item) => other === id;
  const without = new Map(
    [...byParent].map(([parent, each]) => [parent, each.filter((one) => !isSame(one))]),
  );
  without.set(parentId, (without.get(parentId) ?? []).toSpliced(position, 0, { ...moved, parentId }));
  // A category whose place is unchanged stays the same object, so that it is not rendered again.
  return [...without.values()].flatMap((each) =>
    each.map((category, at) => (category.position === at ? category : { ...category, position: at })),
  );
}

export type Step = 'up' | 'down' | 'in' | 'out';

/** Returns the place to which a step moves a category, or null if the step is impossible. */
export function placeAfter(categories: readonly Placed[], id: string, step: Step): TreePosition | null {
  const { byId, byParent, rankById } = getIndex(categories);
  const present = byId.get(id);
  if (!present) return null;
  const { parentId } = present;
  const siblings = byParent.get(parentId) ?? [];
  const at = rankById.get(id)!;
  switch (step) {
    case 'up':
      return at > 0 ? { parentId, position: at - 1 } : null;
    case 'down':
      return at < siblings.length - 1 ? { parentId, position: at + 1 } : null;
    case 'in': {
      const above = siblings[at - 1];
      return above ? { parentId: above.id, position: byParent.get(above.id)?.length ?? 0 } : null;
    }
    case 'out': {
      const parent = parentId === null ? undefined : byId.get(parentId);
      return parent ? { parentId: parent.parentId, position: rankById.get(parent.id)! + 1 } : null;
    }
  }
}

export type DropPosition = 'before' | 'after' | 'on';

/** Returns the place of a dropped category, or null if it would not move or would be below itself. */
export function placeOfDrop(
  categories: readonly Placed[],
  id: string,
  targetId: string,
  drop: DropPosition,
): TreePosition | null {
  const { byId, byParent, rankById } = getIndex(categories);
  const target = byId.get(targetId);
  const dropped = byId.get(id);
  if (!target || !dropped || isWithin(categories, targetId, id)) return null;
  // Positions are counted without the dropped category.
  const isBefore = (parentId: string | null, rank: number) =>
    dropped.parentId === parentId && rankById.get(id)! < rank;
  if (drop === 'on') {
    const count = byParent.get(targetId)?.length ?? 0;
    return { parentId: targetId, position: isBefore(targetId, count) ? count - 1 : count };
  }
  const rank = rankById.get(targetId)!;
  const at = isBefore(target.parentId, rank) ? rank - 1 : rank;
  return { parentId: target.parentId, position: drop === 'before' ? at : at + 1 };
}
