import type { DeliveryJob } from '@waybill/contracts';

/** How long a call waits before it is left to the schedule; its lease still has time for a call then. */
const maxWaitMs = 10_000;
/** Maximum size of all waiting calls, in characters. */
const maxSize = 32 * 1024 * 1024;

/**
 * Estimates the size of a call in a message or in memory: its body and settings, plus a thousand characters for the
 * rest.
 */
export const sizeOf = ({
  body,
  batch,
  settings,
  sealedSettings,
}: Pick<DeliveryJob, 'body' | 'batch' | 'settings' | 'sealedSettings'>): number =>
  1_000 +
  (typeof body === 'string' ? body.length : 0) +
  (settings ? JSON.stringify(settings).length : 0) +
  (sealedSettings?.length ?? 0) +
  (batch?.members ?? []).reduce((sum, member) => sum + sizeOf(member), 0);

interface WaitingCall {
  job: DeliveryJob;
  /** When its endpoint was last changed, as read when the call was made. */
  endpointChangedAt: string;
  until: number;
}

/**
 * First attempts that wait in memory, leased, until their endpoint has room, so that a burst need not be read from the
 * database again. Dropping one loses nothing: its lease expires and the schedule hands it over.
 */
export class WaitingCalls {
  readonly #lines = new Map<string, WaitingCall[]>();
  #size = 0;

  get isFull(): boolean {
    return this.#size >= maxSize;
  }

  count(endpointId: string): number {
    return this.#lines.get(endpointId)?.length ?? 0;
  }

  /** Returns the endpoints that calls wait for. */
  endpoints(): { storeId: string; endpointId: string }[] {
    return [...this.#lines.values()].map(([first]) => first!.job);
  }

  add(job: DeliveryJob, endpointChangedAt: string): void {
    const line = this.#lines.get(job.endpointId) ?? [];
    this.#lines.set(job.endpointId, line);
    line.push({ job, endpointChangedAt, until: performance.now() + maxWaitMs });
    this.#size += sizeOf(job);
  }

  /**
   * Takes up to `most` calls from the front of an endpoint's line. Drops those it passes that have waited too long, or
   * whose endpoint has changed since.
   */
  take(endpointId: string, most: number, endpointChangedAt: string | undefined): DeliveryJob[] {
    const line = this.#lines.get(endpointId) ?? [];
    const now = performance.now();
    const jobs: DeliveryJob[] = [];
    let passed = 0;
    while (passed < line.length && jobs.length < most) {
      const call = line[passed++]!;
      this.#size -= sizeOf(call.job);
      if (call.until > now && call.endpointChangedAt === endpointChangedAt) jobs.push(call.job);
    }
    line.splice(0, passed);
    if (line.length === 0) this.#lines.delete(endpointId);
    return jobs;
  }
}
