/** How long a replica that shed a request, or was unreachable, gets no request that another replica can take. */
const sheddingMs = 50;
const unreachableMs = 1_000;

/**
 * The replicas of each service in other processes, which take turns: services → the base URLs of their internal
 * addresses.
 */
export class ReplicaPool {
  readonly #urls: Readonly<Record<string, readonly string[]>>;
  readonly #nextIndexes = new Map<string, number>();
  readonly #sheddingUntil = new Map<string, number>();
  readonly #unreachableUntil = new Map<string, number>();

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
    const nextIndex = this.#nextIndexes.get(service) ?? 0;
    this.#nextIndexes.set(service, nextIndex + 1);
    const rotated = [
      ...replicas.slice(nextIndex % replicas.length),
      ...replicas.slice(0, nextIndex % replicas.length),
    ];
    return rotated.find((url) => !this.#isSheddingAt(url) && !this.#isUnreachable(url)) ?? rotated[0];
  }

  recordShed(url: string): void {
    this.#sheddingUntil.set(url, performance.now() + sheddingMs);
  }

  /**
   * Records a replica that refuses connections: otherwise every attempt of a request could hit that replica.
   */
  recordFailure(url: string, error: unknown): void {
    if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED')
      this.#unreachableUntil.set(url, performance.now() + unreachableMs);
  }

  #of(service: string): readonly string[] {
    return this.#urls[service] ?? [];
  }

  #isSheddingAt(url: string): boolean {
    return (this.#sheddingUntil.get(url) ?? 0) > performance.now();
  }

  #isUnreachable(url: string): boolean {
    return (this.#unreachableUntil.get(url) ?? 0) > performance.now();
  }
}
