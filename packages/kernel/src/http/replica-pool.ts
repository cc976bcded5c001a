/** How long a copy that has shed what it got, or was not there, gets nothing that another one can have. */
const sheddingMs = 50;
const awayMs = 1_000;

/** The copies of each service of another process, which take turns: services → the base URLs of their internal addresses. */
export class Copies {
  readonly #urls: Readonly<Record<string, readonly string[]>>;
  readonly #turns = new Map<string, number>();
  readonly #sheddingUntil = new Map<string, number>();
  readonly #awayUntil = new Map<string, number>();

  constructor(urls: Readonly<Record<string, readonly string[]>>) {
    this.#urls = urls;
  }

  has(service: string): boolean {
    return this.#of(service).length > 0;
  }

  /** Whether all of them do. */
  isShedding(service: string): boolean {
    return this.has(service) && this.#of(service).every((url) => this.#isSheddingAt(url));
  }

  /** The copy whose turn it is; undefined where there is none. */
  next(service: string): string | undefined {
    const copies = this.#of(service);
    const turn = this.#turns.get(service) ?? 0;
    this.#turns.set(service, turn + 1);
    const inTurn = [...copies.slice(turn % copies.length), ...copies.slice(0, turn % copies.length)];
    return inTurn.find((url) => !this.#isSheddingAt(url) && !this.#isAway(url)) ?? inTurn[0];
  }

  noteShed(url: string): void {
    this.#sheddingUntil.set(url, performance.now() + sheddingMs);
  }

  /** Without it, each attempt of those who come together could have the turn of the copy that refuses. */
  noteFailure(url: string, error: unknown): void {
    if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED')
      this.#awayUntil.set(url, performance.now() + awayMs);
  }

  #of(service: string): readonly string[] {
    return this.#urls[service] ?? [];
  }

  #isSheddingAt(url: string): boolean {
    return (this.#sheddingUntil.get(url) ?? 0) > performance.now();
  }

  #isAway(url: string): boolean {
    return (this.#awayUntil.get(url) ?? 0) > performance.now();
  }
}
