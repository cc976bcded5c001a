import { type DeliveryJob, eventBodyPath } from '@waybill/contracts';
import type { ServiceContext } from '@waybill/kernel';
import { LRUCache } from 'lru-cache';

/** Size of the cache of bodies: an event mostly goes to several endpoints at once. */
const keptBytes = 32 * 1024 * 1024;
/**
 * A call that comes later asks for the body anew: its subject may have been erased meanwhile (`decisions.md 15.7`), which
 * only webhooks knows.
 */
const keptMs = 10_000;
/** The most bytes of bodies in flight; calls whose body is in the message do not count. */
const inFlightBytes = 64 * 1024 * 1024;

/**
 * The bodies of calls that are too large for a message, fetched from webhooks once for all calls of an event. What is
 * in flight is bounded by bytes: a call waits until there is room for its body.
 */
export class EventBodies {
  readonly #kept: LRUCache<string, Buffer>;
  readonly #line: (() => void)[] = [];
  #free = inFlightBytes;

  constructor({ peers }: Pick<ServiceContext, 'peers'>) {
    this.#kept = new LRUCache({
      maxSize: keptBytes,
      ttl: keptMs,
      sizeCalculation: ({ length }) => Math.max(1, length),
      async fetchMethod(key) {
        const answer = await peers.call<{ body: string }>('webhooks', 'POST', eventBodyPath, JSON.parse(key));
        return answer ? Buffer.from(answer.body) : undefined;
      },
    });
  }

  /** Does what there is to do with the body of a call; null: the event is gone. Rejects while webhooks is away. */
  async use<Result>(
    { storeId, eventId, body }: DeliveryJob,
    work: (body: string | Buffer | null) => Promise<Result>,
  ): Promise<Result> {
    if (typeof body === 'string') return work(body);
    const { bytes, isReduced } = body;
    // One that is larger than all there is goes alone.
    const share = Math.min(bytes, inFlightBytes);
    while (this.#free < share) await new Promise<void>((resolve) => this.#line.push(resolve));
    this.#free -= share;
    try {
      const key = JSON.stringify({ storeId, eventId, isReduced });
      return await work((await this.#kept.fetch(key)) ?? null);
    } finally {
      this.#free += share;
      for (const look of this.#line.splice(0)) look();
    }
  }
}
