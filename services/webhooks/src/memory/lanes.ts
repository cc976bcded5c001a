import { deliveryLanes } from '@waybill/contracts';
import type { Bus } from '@waybill/kernel';

type Lane = keyof typeof deliveryLanes;

/**
 * Maximum number of calls waiting for one replica of delivery, which it can begin within half a lease even if each
 * takes long.
 */
const callsPerReplica = { quick: 4_000, slow: 128 } as const;
/** How long an answer of the bus counts as fresh, and how long it may be used while the next one is awaited. */
const freshMs = 500;
const usableMs = 2_000;

/** Limits how many calls are leased: a call that cannot begin in time would only be handed out again. */
export class Lanes {
  readonly #bus: Pick<Bus, 'backlog'>;
  readonly #capacity = { quick: 0, slow: 0 };
  #refreshing: Promise<void> = Promise.resolve();
  #requestedAt = -Infinity;
  #answeredAt = -Infinity;

  constructor(bus: Pick<Bus, 'backlog'>) {
    this.#bus = bus;
  }

  /** Asks how many calls wait, unless it was asked a moment ago. Without a bus or without delivery there is no room. */
  async refresh(): Promise<void> {
    const now = performance.now();
    if (now - this.#requestedAt >= freshMs) {
      this.#requestedAt = now;
      this.#refreshing = Promise.all([this.#readCapacity('quick'), this.#readCapacity('slow')]).then(() => {
        this.#answeredAt = performance.now();
      });
    }
    if (now - this.#answeredAt >= usableMs || this.#capacity.quick <= 0) await this.#refreshing;
  }

  capacity(lane: Lane): number {
    return this.#capacity[lane];
  }

  acquire(lane: Lane, calls: number): void {
    this.#capacity[lane] -= calls;
  }

  async #readCapacity(lane: Lane): Promise<void> {
    const { waiting, workers } = await this.#bus
      .backlog(deliveryLanes[lane])
      .catch(() => ({ waiting: 0, workers: 0 }));
    this.#capacity[lane] = workers * callsPerReplica[lane] - waiting;
  }
}
