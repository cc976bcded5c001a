/** Wakes the dispatcher at the next moment at which a rate or a batch lets a call go, sooner than its usual turn. */
export class DispatchTimer {
  #timer: NodeJS.Timeout | undefined;
  #at = Infinity;

  /** Calls `wake` in so many milliseconds, unless it is called before. */
  wakeIn(ms: number, wake: () => void): void {
    const at = performance.now() + Math.max(1, ms);
    if (at >= this.#at) return;
    clearTimeout(this.#timer);
    this.#at = at;
    this.#timer = setTimeout(
      () => {
        this.#at = Infinity;
        wake();
      },
      Math.max(1, ms),
    ).unref();
  }
}
