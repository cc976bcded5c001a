/** A place in the reading of a whole list, from which it goes on after a failure. */
export interface Reading<Item> {
  items: Item[];
  after: string | undefined;
  isWhole: boolean;
}

export const newReading = <Item>(): Reading<Item> => ({ items: [], after: undefined, isWhole: false });

/** Reads a page of a list, what comes after a cursor. */
export type ReadPage<Item> = (
  after: string | undefined,
  signal: AbortSignal,
) => Promise<{ items: readonly Item[]; total: number; nextCursor: string | null }>;

/** Reads on to the end, page by page, and tells how far it has come, of 1; what is read stays in `reading`. */
export async function readOn<Item>(
  reading: Reading<Item>,
  read: ReadPage<Item>,
  { onProgress, signal }: { onProgress(share: number): void; signal: AbortSignal },
): Promise<void> {
  while (!reading.isWhole) {
    const { items, total, nextCursor } = await read(reading.after, signal);
    reading.items.push(...items);
    reading.after = nextCursor ?? undefined;
    reading.isWhole = nextCursor === null;
    onProgress(reading.isWhole ? 1 : reading.items.length / Math.max(1, total));
  }
}
