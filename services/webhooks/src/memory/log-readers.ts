/** So many readers of one store, and of all, may wait in a copy of the service; others are answered at once. */
const most = { ofStore: 20, ofAll: 500 };

interface Reader {
  storeId: string;
  /** The end of the log when it looked. */
  end: number;
  wake(): void;
}

/** The requests that wait for the next event of a store's log. */
export class LogReaders {
  readonly #readers = new Map<string, Set<Reader>>();
  #count = 0;
  #isStopped = false;

  /** At a stop all are answered: a reader asks again, and elsewhere. */
  constructor(stopping: AbortSignal) {
    stopping.addEventListener('abort', () => {
      this.#isStopped = true;
      this.wake(this.stores());
    });
  }

  /** How many wait. */
  get count(): number {
    return this.#count;
  }

  /** The stores that somebody waits for. */
  stores(): string[] {
    return [...this.#readers.keys()];
  }

  /**
   * Resolves when the store's log has gone on from `end`, or after `ms`; with false when nobody may wait (any more):
   * too many do, the process stops, or `signal` aborts.
   */
  async wait(storeId: string, end: number, ms: number, signal: AbortSignal): Promise<boolean> {
    const readers = this.#readers.get(storeId) ?? new Set();
    const isFull = readers.size >= most.ofStore || this.#count >= most.ofAll;
    if (this.#isStopped || isFull || signal.aborted) return false;
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = () => resolve();
    const reader = { storeId, end, wake };
    this.#readers.set(storeId, readers.add(reader));
    this.#count++;
    const timer = setTimeout(wake, ms);
    signal.addEventListener('abort', wake);
    await promise;
    clearTimeout(timer);
    signal.removeEventListener('abort', wake);
    readers.delete(reader);
    this.#count--;
    if (readers.size === 0) this.#readers.delete(storeId);
    return !this.#isStopped && !signal.aborted;
  }

  /** There is something new in these stores' logs. */
  wake(storeIds: Iterable<string>): void {
    for (const storeId of storeIds) for (const { wake } of this.#readers.get(storeId) ?? []) wake();
  }

  /** Wakes who has not seen the end of its store's log. */
  wakeBehind(ends: ReadonlyMap<string, number>): void {
    for (const [storeId, end] of ends) {
      for (const reader of this.#readers.get(storeId) ?? []) if (reader.end < end) reader.wake();
    }
  }
}
