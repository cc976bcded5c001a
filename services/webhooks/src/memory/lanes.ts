import { deliveryLanes } from '@waybill/contracts';
import type { Bus } from '@waybill/kernel';

type Lane = keyof typeof deliveryLanes;

/**
 * Maximum number of calls waiting for one replica of delivery, which it can begin within half a lease even if each
 * takes long.
 */
const perCopy = { quick: 4_000, slow: 128 } as const;
/** How long an answer of the bus counts as fresh, and how long it may be used while the next one is awaited. */
const freshMs = 500;
const usableMs = 2_000;

/** Limits how many calls are leased: a call that cannot begin in time would only be handed out again. */
export class Lanes {
  readonly #bus: Pick<Bus, 'backlog'>;
  readonly #room = { quick: 0, slow: 0 };
  #asked: Promise<void> = Promise.resolve();
  #askedAt = -Infinity;
  #answeredAt = -Infinity;

  constructor(bus: Pick<Bus, 'backlog'>) {
    this.#bus = bus;
  }

  /** Asks how many calls wait, unless it was asked a moment ago. Without a bus or without delivery there is no room. */
  async refresh(): Promise<void> {
    const now = performance.now();
    if (now - this.#askedAt >= freshMs) {
      this.#askedAt = now;
      this.#asked = Promise.all([this.#look('quick'), this.#look('slow')]).then(() => {
        this.#answeredAt = performance.now();
      });
    }
    if (now - this.#answeredAt >= usableMs || this.#room.quick <= 0) await this.#asked;
  }

  room(lane: Lane): number {
    return this.#room[lane];
  }

  take(lane: Lane, calls: number): void {
    this.#room[lane] -= calls;
  }

  async #look(lane: Lane): Promise<void> {
    const { waiting, workers } = await this.#bus
      .backlog(deliveryLanes[lane])
      .catch(() => ({ waiting: 0, workers: 0 }));
    this.#room[lane] = workers * perCopy[lane] - waiting;
  }
}
