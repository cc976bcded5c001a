import type { DeliveryOutcome } from '@waybill/contracts';
import { LRUCache } from 'lru-cache';

const first = 8;
const smallest = 2;
/** For an endpoint that answers quickly, and for one that takes its time. */
const largest = { quick: 256, slow: 32 };
const quickMs = 250;

type Settled = Pick<DeliveryOutcome, 'endpointId' | 'deliveryId' | 'delivered' | 'durationMs'>;

interface Window {
  size: number;
  /** The deliveries that are handed over → when they count as lost. */
  inHand: Map<string, number>;
}

/**
 * How many calls of one endpoint may be handed over at a time, by the rule that TCP sends by: a window that
 * grows with every success and halves with every failure. An endpoint that hangs can hold few of the places
 * that all share, one that answers gets all it can take. Kept by each process for what it hands over itself.
 */
export class SendingWindows {
  readonly #windows = new LRUCache<string, Window>({ max: 20_000 });
  readonly #lostAfterMs: number;

  constructor(lostAfterMs: number) {
    this.#lostAfterMs = lostAfterMs;
  }

  /** How many more calls the endpoint has room for. */
  room(endpointId: string): number {
    const window = this.#window(endpointId);
    if (window.inHand.size >= window.size) {
      const now = Date.now();
      for (const [deliveryId, lostAt] of window.inHand) if (lostAt <= now) window.inHand.delete(deliveryId);
    }
    return window.size - window.inHand.size;
  }

  /** Takes a place for a call; false when there is none. */
  take(endpointId: string, deliveryId: string): boolean {
    if (this.room(endpointId) <= 0) return false;
    this.#window(endpointId).inHand.set(deliveryId, Date.now() + this.#lostAfterMs);
    return true;
  }

  /** Gives a place back; the call was not made after all. */
  giveBack(endpointId: string, deliveryId: string): void {
    this.#window(endpointId).inHand.delete(deliveryId);
  }

  /** A call has ended. */
  settle({ endpointId, deliveryId, delivered, durationMs }: Settled): void {
    const window = this.#window(endpointId);
    window.inHand.delete(deliveryId);
    window.size = delivered
      ? Math.min(window.size + 1, durationMs < quickMs ? largest.quick : largest.slow)
      : Math.max(smallest, Math.floor(window.size / 2));
  }

  /** The endpoints that have less than their usual room, with what is left: the others have at least `first`. */
  tight(): { endpointId: string; room: number }[] {
    return [...this.#windows.entries()]
      .filter(([, { inHand, size }]) => inHand.size > 0 || size < first)
      .map(([endpointId]) => ({ endpointId, room: Math.max(0, this.room(endpointId)) }));
  }

  #window(endpointId: string): Window {
    let window = this.#windows.get(endpointId);
    if (!window) {
      window = { size: first, inHand: new Map() };
      this.#windows.set(endpointId, window);
    }
    return window;
  }
}
