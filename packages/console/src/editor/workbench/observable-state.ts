/** A small value that parts of the editor share and watch, in the form that `useSyncExternalStore` requires. */
export class ObservableState<State extends object> {
  readonly #listeners = new Set<() => void>();
  #state: State;

  constructor(state: State) {
    this.#state = state;
  }

  /** The same object until something changes. */
  get state(): State {
    return this.#state;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  set(changes: Partial<State>): void {
    const isNew = Object.entries(changes).some(([key, value]) => this.#state[key as keyof State] !== value);
    if (!isNew) return;
    this.#state = { ...this.#state, ...changes };
    for (const listener of [...this.#listeners]) listener();
  }
}
