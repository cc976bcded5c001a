/**
 * Shares a fixed capacity between keys, such as the networks of clients. A key may hold at most as much as
 * is free. Stalling a request costs its sender nothing, so otherwise one network could hold all of the capacity. One
 * network gets at most half of it, two get a third each, and a newcomer always finds a place.
 */
export class FairCapacity {
  readonly #capacity: number;
  readonly #heldByKey = new Map<string, number>();
  #held = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Takes a place for a key and returns the function that releases it; null when the key gets none. */
  acquire(key: string): (() => void) | null {
    const own = this.#heldByKey.get(key) ?? 0;
    const free = this.#capacity - this.#held;
    if (free <= 0 || own > free) return null;
    this.#held++;
    this.#heldByKey.set(key, own + 1);
    return () => {
      this.#held--;
      const remaining = this.#heldByKey.get(key)! - 1;
      if (remaining > 0) this.#heldByKey.set(key, remaining);
      else this.#heldByKey.delete(key);
    };
  }
}
