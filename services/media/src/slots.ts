import { errors } from './errors.ts';

/** Work of a kind that only so much of may go on at once in this process; the stores that wait take turns. */
export interface Slots {
  /** Runs work as soon as it is its turn. @throws resource_unavailable when too much waits, or its store has too much */
  run<Result>(storeId: string, work: () => Promise<Result>): Promise<Result>;
}

/** `maxEach`: what one store may have, in flight and waiting, so that the others find room beside it. */
export function createSlots({
  atOnce,
  maxWaiting,
  maxEach,
}: {
  atOnce: number;
  maxWaiting: number;
  maxEach: number;
}): Slots {
  const taken = new Map<string, number>();
  /** By store, in the order of their turns. */
  const waiting = new Map<string, (() => void)[]>();
  let free = atOnce;
  let waitingCount = 0;

  function wait(storeId: string): Promise<void> {
    waitingCount++;
    const line = waiting.get(storeId) ?? [];
    waiting.set(storeId, line);
    return new Promise((resolve) => line.push(resolve));
  }

  /** Whoever ends hands the slot over. */
  function handOver(): void {
    const [turn] = waiting;
    if (!turn) {
      free++;
      return;
    }
    const [storeId, line] = turn;
    waitingCount--;
    line.shift()!();
    waiting.delete(storeId);
    if (line.length > 0) waiting.set(storeId, line);
  }

  return {
    async run(storeId, work) {
      const own = taken.get(storeId) ?? 0;
      if (own >= maxEach || (free === 0 && waitingCount >= maxWaiting)) {
        throw errors.resource_unavailable({ headers: { 'retry-after': '2' } });
      }
      taken.set(storeId, own + 1);
      if (free > 0) free--;
      else await wait(storeId);
      try {
        return await work();
      } finally {
        handOver();
        const left = taken.get(storeId)! - 1;
        if (left > 0) taken.set(storeId, left);
        else taken.delete(storeId);
      }
    },
  };
}
