/** A small value that parts of the editor share and watch, in the form that `useSyncExternalStore` requires. */
export class Shared<State extends object> {
  readonly #watchers = new Set<() => void>();
  #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  /** The same object until something changes. */
  get state(): State {
    return this.#state;
  }

  readonly subscribe = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  set(changes: Partial<State>): void {
    const isNew = Object.entries(changes).some(([key, value]) => this.#state[key as keyof State] !== value);
    if (!isNew) return;
    this.#state = { ...this.#state, ...changes };
    for (const watcher of [...this.#watchers]) watcher();
  }
}
