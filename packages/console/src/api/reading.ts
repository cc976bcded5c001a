/** State of reading a whole list, which can continue after a failure. */
export interface Reading<Item> {
  items: Item[];
  after: string | undefined;
  isWhole: boolean;
}

export const newReading = <Item>(): Reading<Item> => ({ items: [], after: undefined, isWhole: false });

/** Reads the page of a list after a cursor. */
export type ReadPage<Item> = (
  after: string | undefined,
  signal: AbortSignal,
) => Promise<{ items: readonly Item[]; total: number; nextCursor: string | null }>;

/** Reads the remaining pages into `reading` and reports the progress from 0 to 1. */
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
