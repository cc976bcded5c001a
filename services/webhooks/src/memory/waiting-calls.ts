import type { DeliveryJob } from '@waybill/contracts';

/** How long a call waits before it is left to the schedule; its lease still has time for a call then. */
const maxWaitMs = 10_000;
/** Maximum size of all waiting calls, in characters. */
const maxSize = 32 * 1024 * 1024;

/**
 * Estimates the size of a call in a message or in memory: its body and settings, plus a thousand characters for the
 * rest.
 */
export const estimateSize = ({
  body,
  batch,
  settings,
  sealedSettings,
}: Pick<DeliveryJob, 'body' | 'batch' | 'settings' | 'sealedSettings'>): number =>
  1_000 +
  (typeof body === 'string' ? body.length : 0) +
  (settings ? JSON.stringify(settings).length : 0) +
  (sealedSettings?.length ?? 0) +
  (batch?.members ?? []).reduce((sum, member) => sum + estimateSize(member), 0);

interface WaitingCall {
  job: DeliveryJob;
  /** When its endpoint was last changed, as read when the call was made. */
  endpointChangedAt: string;
  expiresAt: number;
}

/**
 * First attempts that wait in memory, leased, until their endpoint has room, so that a burst need not be read from the
 * database again. Dropping one loses nothing: its lease expires and the schedule hands it over.
 */
export class WaitingCalls {
  readonly #queues = new Map<string, WaitingCall[]>();
  #size = 0;

  get isFull(): boolean {
    return this.#size >= maxSize;
  }

  count(endpointId: string): number {
    return this.#queues.get(endpointId)?.length ?? 0;
  }

  /** Returns the endpoints that calls wait for. */
  listEndpoints(): { storeId: string; endpointId: string }[] {
    return [...this.#queues.values()].map(([first]) => first!.job);
  }

  add(job: DeliveryJob, endpointChangedAt: string): void {
    const queue = this.#queues.get(job.endpointId) ?? [];
    this.#queues.set(job.endpointId, queue);
    queue.push({ job, endpointChangedAt, expiresAt: performance.now() + maxWaitMs });
    this.#size += estimateSize(job);
  }

  /**
   * Takes up to `limit` calls from the front of an endpoint's line. Drops those it passes that have waited too long, or
   * whose endpoint has changed since.
   */
  dequeue(endpointId: string, limit: number, endpointChangedAt: string | undefined): DeliveryJob[] {
    const queue = this.#queues.get(endpointId) ?? [];
    const now = performance.now();
    const jobs: DeliveryJob[] = [];
    let removed = 0;
    while (removed < queue.length && jobs.length < limit) {
      const call = queue[removed++]!;
      this.#size -= estimateSize(call.job);
      if (call.expiresAt > now && call.endpointChangedAt === endpointChangedAt) jobs.push(call.job);
    }
    queue.splice(0, removed);
    if (queue.length === 0) this.#queues.delete(endpointId);
    return jobs;
  }
}
