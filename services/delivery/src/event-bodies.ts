import { type DeliveryJob, eventBodyPath } from '@waybill/contracts';
import type { ServiceContext } from '@waybill/kernel';
import { LRUCache } from 'lru-cache';

/** Size of the cache of bodies. An event usually goes to several endpoints at once. */
const maxCachedBytes = 32 * 1024 * 1024;
/**
 * How long a body is cached. A later call fetches it again, because its subject may have been erased since
 * (`decisions.md 15.7`), which only webhooks knows.
 */
const cacheTtlMs = 10_000;
/** Maximum number of bytes of bodies in flight. Bodies that are part of the message do not count. */
const inFlightBytes = 64 * 1024 * 1024;

/**
 * Fetches bodies that are too large for a message from webhooks, once for all calls of an event. The bytes in flight
 * are bounded: a call waits until there is room for its body.
 */
export class EventBodies {
  readonly #cache: LRUCache<string, Buffer>;
  readonly #waiting: (() => void)[] = [];
  #freeBytes = inFlightBytes;

  constructor({ peers }: Pick<ServiceContext, 'peers'>) {
    this.#cache = new LRUCache({
      maxSize: maxCachedBytes,
      ttl: cacheTtlMs,
      sizeCalculation: ({ length }) => Math.max(1, length),
      async fetchMethod(key) {
        const answer = await peers.call<{ body: string }>('webhooks', 'POST', eventBodyPath, JSON.parse(key));
        return answer ? Buffer.from(answer.body) : undefined;
      },
    });
  }

  /**
   * Runs `work` with the body of a call; the body of a batch holds the envelopes of all its events. The body is null
   * when one of its events is gone. Rejects while webhooks is unavailable.
   */
  async use<Result>(
    job: DeliveryJob,
    work: (body: string | Buffer | null) => Promise<Result>,
  ): Promise<Result> {
    const { storeId, batch } = job;
    if (!batch) {
      if (typeof job.body === 'string') return work(job.body);
      return this.#withCapacity(job.body.bytes, async () => work(await this.#read({ ...job, storeId })));
    }
    const bytes = batch.members.reduce(
      (sum, { body }) => sum + (typeof body === 'string' ? 0 : body.bytes),
      0,
    );
    return this.#withCapacity(bytes, async () => {
      const envelopes = await Promise.all(batch.members.map((member) => this.#read({ ...member, storeId })));
      return work(envelopes.includes(null) ? null : `{"events":[${envelopes.join()}]}`);
    });
  }

  /** Runs `work` as soon as there is room for `bytes` bytes. */
  async #withCapacity<Result>(bytes: number, work: () => Promise<Result>): Promise<Result> {
    if (bytes === 0) return work();
    // A body larger than the whole allowance runs alone.
    const share = Math.min(bytes, inFlightBytes);
    while (this.#freeBytes < share) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#freeBytes -= share;
    try {
      return await work();
    } finally {
      this.#freeBytes += share;
      for (const retry of this.#waiting.splice(0)) retry();
    }
  }

  /** Returns the envelope of an event, or null when it is gone. */
  async #read({ storeId, eventId, body }: Pick<DeliveryJob, 'storeId' | 'eventId' | 'body'>) {
    if (typeof body === 'string') return body;
    const key = JSON.stringify({ storeId, eventId, isReduced: body.isReduced, appId: body.appId });
    return (await this.#cache.fetch(key)) ?? null;
  }
}
