/**
 * Maximum number of bytes of events or jobs in one call of `handle`. The work of a call, such as a statement, takes a
 * multiple of that. A larger item comes alone.
 */
export const batchBytes = 4 * 1024 * 1024;

/**
 * Takes the next batch off the front of `waiting`: up to `limit` items and `batchBytes` in all, but at least one item.
 */
export function takeBatch<Item>(
  waiting: Item[],
  limit: number,
  measureBytes: (item: Item) => number,
): Item[] {
  let [count, bytes] = [0, 0];
  while (count < Math.min(limit, waiting.length)) {
    // With at most one item in a batch, there is nothing to measure.
    if (limit > 1) bytes += measureBytes(waiting[count]!);
    if (count > 0 && bytes > batchBytes) break;
    count++;
  }
  return waiting.splice(0, count);
}
