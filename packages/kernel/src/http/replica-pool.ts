/** How long a replica that shed a request, or was unreachable, gets no request that another replica can take. */
const sheddingMs = 50;
const awayMs = 1_000;

/**
 * The replicas of each service in other processes, which take turns: services → the base URLs of their internal
 * addresses.
 */
export class ReplicaPool {
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

  /** Whether all replicas of a service shed load. */
  isShedding(service: string): boolean {
    return this.has(service) && this.#of(service).every((url) => this.#isSheddingAt(url));
  }

  /** Returns the next replica; undefined if the service has none. */
  next(service: string): string | undefined {
    const replicas = this.#of(service);
    const turn = this.#turns.get(service) ?? 0;
    this.#turns.set(service, turn + 1);
    const inTurn = [...replicas.slice(turn % replicas.length), ...replicas.slice(0, turn % replicas.length)];
    return inTurn.find((url) => !this.#isSheddingAt(url) && !this.#isAway(url)) ?? inTurn[0];
  }

  noteShed(url: string): void {
    this.#sheddingUntil.set(url, performance.now() + sheddingMs);
  }

  /**
   * Notes a replica that refuses connections: otherwise every attempt of simultaneous requests could fall on its turn.
   */
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
