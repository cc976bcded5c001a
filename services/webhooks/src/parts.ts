/** What one statement, or one message to the broker's client, holds at most, but never less than one item. */
export interface Bounds {
  count: number;
  /** In characters of JSON, which is what most of them is. */
  size: number;
}

/** Cuts a list into parts that keep their order and stay within bounds: an item is never divided. */
export function inParts<Item>(
  items: readonly Item[],
  measure: (item: Item) => Bounds,
  most: Bounds,
): Item[][] {
  const parts: Item[][] = [];
  let sum: Bounds = { count: 0, size: 0 };
  for (const item of items) {
    const { count, size } = measure(item);
    const part = parts.at(-1);
    if (part && sum.count + count <= most.count && sum.size + size <= most.size) {
      part.push(item);
      sum = { count: sum.count + count, size: sum.size + size };
    } else {
      parts.push([item]);
      sum = { count, size };
    }
  }
  return parts;
}
