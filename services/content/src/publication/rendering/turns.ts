import { createSlots, inTime } from '@waybill/kernel';

/** Has something made in the turn of a store. */
export type InTurn = <Made>(storeId: string, make: () => Promise<Made>) => Promise<Made>;

/** Longer than a page takes the thread: who waits for a neighbour that does not answer goes on beside the turns. */
const longestTurnMs = 2_000;

/**
 * Has whole pages made, two at once, stores taking turns: a large one takes the thread for half a second, and of many at
 * once nobody else was answered until all of them were made.
 */
export function createTurns(longestMs = longestTurnMs): InTurn {
  const slots = createSlots({ atOnce: 2, waiting: 256 });
  return async (storeId, make) => {
    // In an object, for else the slot would be held until it is there.
    const { made } = await slots(storeId, async () => {
      const made = make();
      await inTime(made, longestMs);
      return { made };
    });
    return made;
  };
}
