/** How long an answer is used: meanwhile two clocks drift apart by less than a millisecond. */
const defaultMaxAgeMs = 10_000;
/** Pause after a question that got no answer. */
const pauseMs = 1_000;

/**
 * One clock for processes on several machines, whose own clocks may be wrong by any amount. It is read now and then,
 * and the time since is measured by a monotonic clock.
 */
export class SharedClock {
  readonly #readTime: () => Promise<number>;
  readonly #maxAgeMs: number;
  /** The shared time at the origin of `performance.now()`, or a little later; null while unknown. */
  #origin: number | null = null;
  #refreshAt = Number.NEGATIVE_INFINITY;
  #refreshing: Promise<void> | null = null;

  /** `readTime` returns the shared time, in milliseconds since the epoch. */
  constructor(readTime: () => Promise<number>, maxAgeMs = defaultMaxAgeMs) {
    this.#readTime = readTime;
    this.#maxAgeMs = maxAgeMs;
  }

  /**
   * Returns the shared time, or a little later, by at most the duration of an answer: an event that is in time by this
   * value is also in time by the clock itself. Rejects if no question has ever been answered.
   */
  async read(): Promise<number> {
    if (performance.now() >= this.#refreshAt) this.#refreshing ??= this.#refresh();
    if (this.#origin === null) await (this.#refreshing ?? this.#refresh());
    else this.#refreshing?.catch(() => {});
    return performance.now() + this.#origin!;
  }

  async #refresh(): Promise<void> {
    const requestedAt = performance.now();
    try {
      this.#origin = (await this.#readTime()) - requestedAt;
      this.#refreshAt = performance.now() + this.#maxAgeMs;
    } catch (error) {
      if (this.#origin !== null) this.#refreshAt = performance.now() + pauseMs;
      throw error;
    } finally {
      this.#refreshing = null;
    }
  }
}
