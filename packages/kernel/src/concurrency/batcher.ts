import { AsyncLocalStorage } from 'node:async_hooks';
import { BatchDelay } from './batch-delay.ts';

/** Answers the items of a key together; returns a result for each item, in their order. */
export type AnswerBatch<Item, Result> = (key: string, items: readonly Item[]) => Promise<Result[]>;

interface PendingItem<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

interface KeyState<Item, Result> {
  running: number;
  pending: PendingItem<Item, Result>[];
  batchDelay: BatchDelay | null;
}

/**
 * Answers simultaneous items of one key in few batches. An item that arrives alone does not wait. Items that arrive
 * while a batch runs form the next batch, which begins after that one, or as soon as `maxBatch` of them are pending.
 * Each batch begins after all of its items have arrived, so that a change is visible to the very next request. A failure
 * rejects only the items of its own batch. With `batchDelayMs` the first item of a burst waits for the others (`BatchDelay`);
 * the batcher then remembers the keys, so there must be few.
 */
export function createBatcher<Item, Result>(
  answerBatch: AnswerBatch<Item, Result>,
  maxBatch: number,
  { batchDelayMs = 0 }: { batchDelayMs?: number } = {},
): (key: string, item: Item) => Promise<Result> {
  const keys = new Map<string, KeyState<Item, Result>>();
  // A batch belongs to many requests, so it must not run in the context of the one that started it.
  const outsideOfRequests = AsyncLocalStorage.snapshot();

  async function runBatch(key: string, state: KeyState<Item, Result>): Promise<void> {
    state.running++;
    state.batchDelay?.recordStart(Math.min(state.pending.length, maxBatch));
    const batch = state.pending.splice(0, maxBatch);
    const items = batch.map(({ item }) => item);
    try {
      const results = await answerBatch(key, items);
      for (const [i, { resolve }] of batch.entries()) resolve(results[i]!);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    state.running--;
    state.batchDelay?.recordEnd();
    if (state.pending.length > 0) runIfReady(key, state);
    else if (state.running === 0 && !state.batchDelay) keys.delete(key);
  }

  function runIfReady(key: string, state: KeyState<Item, Result>): void {
    if (state.batchDelay?.isReady(state.pending.length) ?? true)
      void outsideOfRequests(() => runBatch(key, state));
  }

  function createState(key: string): KeyState<Item, Result> {
    const state: KeyState<Item, Result> = { running: 0, pending: [], batchDelay: null };
    if (batchDelayMs > 0)
      state.batchDelay = new BatchDelay(batchDelayMs, () => {
        if (state.running === 0 && state.pending.length > 0) runIfReady(key, state);
      });
    return state;
  }

  return (key, item) =>
    new Promise((resolve, reject) => {
      const state = keys.get(key) ?? createState(key);
      keys.set(key, state);
      state.pending.push({ item, resolve, reject });
      if (state.pending.length === maxBatch) void outsideOfRequests(() => runBatch(key, state));
      else if (state.running === 0) runIfReady(key, state);
    });
}
