/** Wakes the dispatcher as soon as a rate or a batch lets the next call go, before its usual turn. */
export class DispatchTimer {
  #timer: NodeJS.Timeout | undefined;
  #at = Infinity;

  /** Calls `wake` in `ms` milliseconds, unless an earlier call is already planned. */
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
