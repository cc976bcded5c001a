/** If no batch has run for this long, the next item does not wait for others. */
const memoryMs = 50;

/**
 * Decides when a batch of the waiting items begins. Items may arrive in crowds, such as requests of clients that each
 * send the next request after the last answer. Then the first item of a crowd waits until as many have arrived as came
 * together the last time, at most for `waitMs`. An item that arrives alone, after another single item, does not wait.
 */
export class Gathering {
  readonly #waitMs: number;
  readonly #begin: () => void;
  #expected = 0;
  #lastAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  /** `begin` is called when the wait of a crowd is over. */
  constructor(waitMs: number, begin: () => void) {
    this.#waitMs = waitMs;
    this.#begin = begin;
  }

  /** Whether a batch of `waiting` items begins now; if not, `begin` is called soon. */
  isReady(waiting: number): boolean {
    const isCrowd = this.#expected > 1 && performance.now() - this.#lastAt < memoryMs;
    if (this.#waitMs === 0 || this.#isOver || !isCrowd || waiting >= this.#expected) return true;
    this.#timer ??= setTimeout(() => {
      this.#isOver = true;
      this.#begin();
    }, this.#waitMs);
    return false;
  }

  /** Records that a batch of `items` begins. */
  take(items: number): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isOver = false;
    this.#expected = items;
    this.#lastAt = performance.now();
  }

  /** Records that a batch has ended. */
  end(): void {
    this.#lastAt = performance.now();
  }
}
