/** If no batch has run for this long, the next item does not wait for others. */
const burstMemoryMs = 50;

/**
 * Decides when a batch of waiting items begins. Items may arrive in bursts, such as requests of clients that each send
 * the next request after the last answer. The first item of a burst then waits until as many have arrived as in the last
 * batch, for at most `waitMs`. An item that arrives alone, after another single item, does not wait.
 */
export class BatchDelay {
  readonly #waitMs: number;
  readonly #begin: () => void;
  #expected = 0;
  #lastAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #hasWaited = false;

  /** `begin` is called when the wait of a burst is over. */
  constructor(waitMs: number, begin: () => void) {
    this.#waitMs = waitMs;
    this.#begin = begin;
  }

  /** Whether a batch of `waiting` items begins now; if not, `begin` is called soon. */
  isReady(waiting: number): boolean {
    const isBurst = this.#expected > 1 && performance.now() - this.#lastAt < burstMemoryMs;
    if (this.#waitMs === 0 || this.#hasWaited || !isBurst || waiting >= this.#expected) return true;
    this.#timer ??= setTimeout(() => {
      this.#hasWaited = true;
      this.#begin();
    }, this.#waitMs);
    return false;
  }

  /** Records that a batch of `items` begins. */
  recordStart(items: number): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#hasWaited = false;
    this.#expected = items;
    this.#lastAt = performance.now();
  }

  /** Records that a batch has ended. */
  recordEnd(): void {
    this.#lastAt = performance.now();
  }
}
