/** Limits of one statement, or of one message to the broker's client; a single item always fits. */
export interface BatchLimits {
  count: number;
  /** Size in characters of JSON, which makes up most of an item. */
  size: number;
}

/** Splits a list into batches that keep its order and stay within `limit`. An item is never divided. */
export function inBatches<Item>(
  items: readonly Item[],
  measure: (item: Item) => BatchLimits,
  limit: BatchLimits,
): Item[][] {
  const batches: Item[][] = [];
  let sum: BatchLimits = { count: 0, size: 0 };
  for (const item of items) {
    const { count, size } = measure(item);
    const batch = batches.at(-1);
    if (batch && sum.count + count <= limit.count && sum.size + size <= limit.size) {
      batch.push(item);
      sum = { count: sum.count + count, size: sum.size + size };
    } else {
      batches.push([item]);
      sum = { count, size };
    }
  }
  return batches;
}
