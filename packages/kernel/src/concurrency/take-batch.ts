/**
 * How many bytes of events or jobs one call of `handle` gets, as far as several can be had in less: what a call makes
 * of them, a statement say, is a multiple of it. One that is larger comes alone.
 */
export const batchBytes = 4 * 1024 * 1024;

/** Takes the next batch off the front of `waiting`: up to `most` of them and `batchBytes` in all, but at least one. */
export function takeBatch<Item>(waiting: Item[], most: number, bytesOf: (item: Item) => number): Item[] {
  let [count, bytes] = [0, 0];
  while (count < Math.min(most, waiting.length)) {
    // Where one is all there may be, none needs measuring.
    if (most > 1) bytes += bytesOf(waiting[count]!);
    if (count > 0 && bytes > batchBytes) break;
    count++;
  }
  return waiting.splice(0, count);
}
