import { type Log, rateLimited } from '@waybill/kernel';

/** Maximum number of batches of first attempts on their way to delivery while others are written. */
const maxRunning = 8;

/**
 * Hand-overs of first attempts that no caller waits for. If one fails, the schedule hands its calls over once their
 * leases expire.
 */
export class HandOvers {
  readonly #running = new Set<Promise<void>>();
  #report: ReturnType<typeof rateLimited> | undefined;

  add(handedOver: Promise<void>, log: Log): void {
    const running = handedOver
      .catch((err) => {
        this.#report ??= rateLimited(log);
        this.#report({ err }, 'calls could not be handed over; the schedule hands them over');
      })
      .finally(() => this.#running.delete(running));
    this.#running.add(running);
  }

  /** Resolves when another one may begin. */
  async waitForSlot(): Promise<void> {
    while (this.#running.size >= maxRunning) await Promise.race(this.#running);
  }

  /** Resolves when none is in progress. */
  async waitUntilIdle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }
}
