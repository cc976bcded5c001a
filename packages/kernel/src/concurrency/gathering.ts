/** After so long without a batch the next item does not wait for others. */
const memoryMs = 50;

/**
 * Decides when a batch of what is waiting begins. Where items come in crowds, as they do from clients that each send their
 * next request once the last is answered, the first of a crowd waits for as many as came together the last time, at
 * most `waitMs`. One that comes alone, after one that came alone, does not wait.
 */
export class Gathering {
  readonly #waitMs: number;
  readonly #begin: () => void;
  #expected = 0;
  #lastAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  /** Calls `begin` when the wait of a crowd is over. */
  constructor(waitMs: number, begin: () => void) {
    this.#waitMs = waitMs;
    this.#begin = begin;
  }

  /** Whether a batch of so many items begins now; if not, `begin` is called soon. */
  isReady(waiting: number): boolean {
    const isCrowd = this.#expected > 1 && performance.now() - this.#lastAt < memoryMs;
    if (this.#waitMs === 0 || this.#isOver || !isCrowd || waiting >= this.#expected) return true;
    this.#timer ??= setTimeout(() => {
      this.#isOver = true;
      this.#begin();
    }, this.#waitMs);
    return false;
  }

  /** A batch of so many items begins. */
  take(items: number): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isOver = false;
    this.#expected = items;
    this.#lastAt = performance.now();
  }

  /** A batch has ended. */
  end(): void {
    this.#lastAt = performance.now();
  }
}
