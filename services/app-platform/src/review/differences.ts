import { isDeepStrictEqual } from 'node:util';
import { escapePointer } from '@waybill/kernel';
import type { Block } from '../contributions/manifest.ts';
import type { BlockDifferences } from './routes.ts';

/** Maximum number of differences listed for a block. */
export const maxDifferences = 200;
/** Maximum length of a subtree as JSON; a longer one is left out. */
export const maxSubtreeLength = 4096;
/** Maximum number of characters of subtrees in one comparison; further ones are left out. */
const maxTextLength = 512 * 1024;

/**
 * Compares the blocks that both versions have, place by place. A subtree that only one version has is listed whole
 * (`decisions.md 14.9`).
 */
export function compareBlocks(
  before: readonly Block[],
  after: readonly Block[],
  changed: readonly string[],
): BlockDifferences[] {
  const budget = { text: maxTextLength };
  const find = (blocks: readonly Block[], key: string) => blocks.find((block) => block.key === key)!;
  return changed.map((key) => {
    const found = new Comparison(budget);
    found.compare('', find(before, key), find(after, key));
    return { key, differences: found.differences, hasMore: found.hasMore };
  });
}

/** Properties that can identify the items of a list, when each item has a unique value. */
const identities = ['id', 'key', 'name'] as const;

class Comparison {
  readonly differences: BlockDifferences['differences'] = [];
  hasMore = false;
  readonly #budget: { text: number };

  constructor(budget: { text: number }) {
    this.#budget = budget;
  }

  compare(pointer: string, before: unknown, after: unknown): void {
    if (this.hasMore || isDeepStrictEqual(before, after)) return;
    if (isObject(before) && isObject(after)) {
      for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
        this.compare(
          `${pointer}/${escapePointer(name)}`,
          getOwnValue(before, name),
          getOwnValue(after, name),
        );
      }
      return;
    }
    const identity = identities.find((each) => identifies(each, before) && identifies(each, after));
    if (identity) this.#compareItems(pointer, before as Item[], after as Item[], identity);
    else this.#add(pointer, before, after);
  }

  /**
   * Compares lists item by item, whatever their positions. A difference names the item's present position, or its
   * former one.
   */
  #compareItems(pointer: string, before: Item[], after: Item[], identity: string): void {
    const [beforeIndexes, afterIndexes] = [
      indexByIdentity(before, identity),
      indexByIdentity(after, identity),
    ];
    for (const [id, index] of afterIndexes) {
      const earlier = beforeIndexes.get(id);
      this.compare(`${pointer}/${index}`, earlier === undefined ? undefined : before[earlier], after[index]);
    }
    for (const [id, index] of beforeIndexes) {
      if (!afterIndexes.has(id)) this.compare(`${pointer}/${index}`, before[index], undefined);
    }
    const order = (indexes: Map<unknown, number>, others: Map<unknown, number>) =>
      [...indexes.keys()].filter((id) => others.has(id));
    if (!isDeepStrictEqual(order(beforeIndexes, afterIndexes), order(afterIndexes, beforeIndexes))) {
      this.#add(pointer, order(beforeIndexes, afterIndexes), order(afterIndexes, beforeIndexes));
    }
  }

  #add(pointer: string, before: unknown, after: unknown): void {
    if (this.differences.length >= maxDifferences) {
      this.hasMore = true;
      return;
    }
    const sides = { before, after };
    const difference: BlockDifferences['differences'][number] = { pointer, isCut: false };
    for (const side of ['before', 'after'] as const) {
      if (sides[side] === undefined) continue;
      const { length } = JSON.stringify(sides[side]);
      if (length > maxSubtreeLength || length > this.#budget.text) difference.isCut = true;
      else {
        this.#budget.text -= length;
        difference[side] = sides[side];
      }
    }
    this.differences.push(difference);
  }
}

type Item = Record<string, unknown>;

const isObject = (value: unknown): value is Item =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const getOwnValue = (object: Item, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined;
const indexByIdentity = (items: readonly Item[], identity: string) =>
  new Map(items.map((item, index) => [item[identity], index]));

/** Whether each item of a list has a unique value of this property. */
function identifies(name: string, list: unknown): boolean {
  if (!Array.isArray(list)) return false;
  const ids = new Set(list.map((item) => (isObject(item) ? getOwnValue(item, name) : undefined)));
  return !ids.has(undefined) && ids.size === list.length;
}
