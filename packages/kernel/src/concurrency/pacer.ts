/**
 * Limits a rate by the generic cell rate algorithm: a burst of one second's worth passes at once, and later turns
 * follow at the rate.
 */
export class Pacer {
  readonly #intervalMs: number;
  readonly #maxWaitMs: number;
  readonly #now: () => number;
  #fullAt = 0;

  constructor(perSecond: number, maxWaitMs: number, now: () => number = () => performance.now()) {
    this.#intervalMs = 1_000 / perSecond;
    this.#maxWaitMs = maxWaitMs;
    this.#now = now;
  }

  /** Returns the milliseconds until the next turn, and takes that turn unless it is further away than `maxWaitMs`. */
  take(): number {
    const at = this.#now();
    const fullAt = Math.max(this.#fullAt, at) + this.#intervalMs;
    const waitMs = fullAt - at - 1_000;
    if (waitMs <= this.#maxWaitMs) this.#fullAt = fullAt;
    return waitMs;
  }

  /** Gives back a turn that was taken. */
  giveBack(): void {
    this.#fullAt -= this.#intervalMs;
  }
}
