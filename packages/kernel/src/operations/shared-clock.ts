/** How long an answer is used: meanwhile two clocks drift apart by less than a millisecond. */
const usualFreshMs = 10_000;
/** Pause after a question that got no answer. */
const pauseMs = 1_000;

/**
 * One clock for processes on several machines, whose own clocks may be wrong by any amount. It is read now and then,
 * and the time since is measured by a monotonic clock.
 */
export class SharedClock {
  readonly #ask: () => Promise<number>;
  readonly #freshMs: number;
  /** The shared time at the origin of `performance.now()`, or a little later; null while unknown. */
  #origin: number | null = null;
  #askAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | null = null;

  /** `ask` returns the shared time, in milliseconds since the epoch. */
  constructor(ask: () => Promise<number>, freshMs = usualFreshMs) {
    this.#ask = ask;
    this.#freshMs = freshMs;
  }

  /**
   * Returns the shared time, or a little later, by at most the duration of an answer: an event that is in time by this
   * value is also in time by the clock itself. Rejects if no question has ever been answered.
   */
  async read(): Promise<number> {
    if (performance.now() >= this.#askAt) this.#asking ??= this.#learn();
    if (this.#origin === null) await (this.#asking ?? this.#learn());
    else this.#asking?.catch(() => {});
    return performance.now() + this.#origin!;
  }

  async #learn(): Promise<void> {
    const requestedAt = performance.now();
    try {
      this.#origin = (await this.#ask()) - requestedAt;
      this.#askAt = performance.now() + this.#freshMs;
    } catch (error) {
      if (this.#origin !== null) this.#askAt = performance.now() + pauseMs;
      throw error;
    } finally {
      this.#asking = null;
    }
  }
}
