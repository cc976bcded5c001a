/**
 * Maximum number of readers waiting in a replica of the service, for one store and for all; further ones are answered
 * at once.
 */
const maxReaders = { ofStore: 20, ofAll: 500 };

interface Reader {
  storeId: string;
  /** The end of the log when the reader looked. */
  end: number;
  wake(): void;
}

/** The requests waiting for the next event of a store's log. */
export class LogReaders {
  readonly #readers = new Map<string, Set<Reader>>();
  #count = 0;
  #isStopped = false;

  /** Answers all readers at a shutdown, so that they ask another replica. */
  constructor(stopping: AbortSignal) {
    stopping.addEventListener('abort', () => {
      this.#isStopped = true;
      this.wake(this.listStores());
    });
  }

  /** The number of waiting readers. */
  get count(): number {
    return this.#count;
  }

  /** Returns the stores that readers wait for. */
  listStores(): string[] {
    return [...this.#readers.keys()];
  }

  /**
   * Resolves with true when the store's log has grown beyond `end`, or after `ms`. Resolves with false when the reader
   * cannot wait: too many do, the process is stopping, or `signal` aborts.
   */
  async wait(storeId: string, end: number, ms: number, signal: AbortSignal): Promise<boolean> {
    const readers = this.#readers.get(storeId) ?? new Set();
    const isFull = readers.size >= maxReaders.ofStore || this.#count >= maxReaders.ofAll;
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

  /** Wakes the readers of these stores, whose logs have new events. */
  wake(storeIds: Iterable<string>): void {
    for (const storeId of storeIds) for (const { wake } of this.#readers.get(storeId) ?? []) wake();
  }

  /** Wakes readers that have not seen the end of their store's log. */
  wakeOutdated(ends: ReadonlyMap<string, number>): void {
    for (const [storeId, end] of ends) {
      for (const reader of this.#readers.get(storeId) ?? []) if (reader.end < end) reader.wake();
    }
  }
}
