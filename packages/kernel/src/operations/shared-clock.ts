/** For how long an answer counts: two clocks go apart by less than a millisecond meanwhile. */
const usualFreshMs = 10_000;
/** Between two questions that nobody answers. */
const pauseMs = 1_000;

/**
 * One clock for processes of several machines, whose own may be wrong by any amount: it is asked now and then, and what
 * has passed since is counted by a clock that nobody sets.
 */
export class SharedClock {
  readonly #ask: () => Promise<number>;
  readonly #freshMs: number;
  /** Its time at our nought, or a little later; null: not known yet. */
  #origin: number | null = null;
  #askAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | null = null;

  /** `ask` gives its time, in milliseconds since the epoch. */
  constructor(ask: () => Promise<number>, freshMs = usualFreshMs) {
    this.#ask = ask;
    this.#freshMs = freshMs;
  }

  /**
   * Its time, or a little later, by as much as an answer takes: what is in time by this is so by the clock itself.
   * Rejects where it has never been asked with success.
   */
  async read(): Promise<number> {
    if (performance.now() >= this.#askAt) this.#asking ??= this.#learn();
    if (this.#origin === null) await (this.#asking ?? this.#learn());
    else this.#asking?.catch(() => {});
    return performance.now() + this.#origin!;
  }

  async #learn(): Promise<void> {
    const askedAt = performance.now();
    try {
      this.#origin = (await this.#ask()) - askedAt;
      this.#askAt = performance.now() + this.#freshMs;
    } catch (error) {
      if (this.#origin !== null) this.#askAt = performance.now() + pauseMs;
      throw error;
    } finally {
      this.#asking = null;
    }
  }
}
