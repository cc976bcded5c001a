import type { Category } from './queries.ts';

type Placed = Pick<Category, 'id' | 'parentId' | 'position'>;

/** A category with those below it, in their order. */
export interface Branch<Item extends Placed = Category> {
  readonly id: string;
  readonly category: Item;
  readonly children: readonly Branch<Item>[];
}

/** The place of a category: below a parent, 0 the first. */
export interface TreePosition {
  parentId: string | null;
  position: number;
}

const childrenByParent = <Item extends Placed>(categories: readonly Item[]) => {
  const byParent = Map.groupBy(categories, ({ parentId }) => parentId);
  for (const siblings of byParent.values()) siblings.sort((one, other) => one.position - other.position);
  return byParent;
};

/** The categories as a tree. */
export function branchesOf<Item extends Placed>(categories: readonly Item[]): Branch<Item>[] {
  const byParent = childrenByParent(categories);
  const below = (parentId: string | null): Branch<Item>[] =>
    (byParent.get(parentId) ?? []).map((category) => ({
      id: category.id,
      category,
      children: below(category.id),
    }));
  return below(null);
}

/** The names from the root to a category: "Clothes › Shirts". */
export function pathOf(categories: ReadonlyMap<string, Category>, id: string): string {
  const names: string[] = [];
  for (let at = categories.get(id); at && names.length < 8; at = categories.get(at.parentId ?? ''))
    names.unshift(at.name);
  return names.join(' › ');
}

/** Whether a category is another, or below it. */
export function isWithin(categories: readonly Placed[], id: string | null, other: string): boolean {
  const parents = new Map(categories.map((category) => [category.id, category.parentId]));
  for (let at = id, steps = 0; at !== null && steps < 100; at = parents.get(at) ?? null, steps++)
    if (at === other) return true;
  return false;
}

/** The tree with a category at another place. */
export function withMoved<Item extends Placed>(
  categories: readonly Item[],
  id: string,
  { parentId, position }: TreePosition,
): Item[] {
  const moved = categories.find((category) => category.id === id);
  if (!moved) return [...categories];
  const byParent = childrenByParent(categories.filter((category) => category !== moved));
  const siblings = byParent.get(parentId) ?? [];
  byParent.set(parentId, siblings.toSpliced(position, 0, { ...moved, parentId }));
  return [...byParent.values()].flatMap((each) =>
    each.map((category, at) => ({ ...category, position: at })),
  );
}

export type Step = 'up' | 'down' | 'in' | 'out';

/** Where a step takes a category; null where there is no such step. */
export function placeAfter(categories: readonly Placed[], id: string, step: Step): TreePosition | null {
  const byParent = childrenByParent(categories);
  const present = categories.find((category) => category.id === id);
  if (!present) return null;
  const { parentId } = present;
  const siblings = byParent.get(parentId) ?? [];
  const at = siblings.indexOf(present);
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
      const parent = categories.find((category) => category.id === parentId);
      if (!parent) return null;
      const uncles = byParent.get(parent.parentId) ?? [];
      return { parentId: parent.parentId, position: uncles.indexOf(parent) + 1 };
    }
  }
}

/** Where a drop puts a category; null where it stays, or would be below itself. */
export function placeOfDrop(
  categories: readonly Placed[],
  id: string,
  targetId: string,
  drop: 'before' | 'after' | 'on',
): TreePosition | null {
  const target = categories.find((category) => category.id === targetId);
  if (!target || isWithin(categories, targetId, id)) return null;
  const byParent = childrenByParent(categories.filter((category) => category.id !== id));
  if (drop === 'on') return { parentId: targetId, position: byParent.get(targetId)?.length ?? 0 };
  const at = (byParent.get(target.parentId) ?? []).indexOf(target);
  return { parentId: target.parentId, position: drop === 'before' ? at : at + 1 };
}
