import { type DeliveryJob, type DeliveryOutcome, slowMs } from '@waybill/contracts';
import { LRUCache } from 'lru-cache';

const first = 8;
const smallest = 2;
/** Largest window of an endpoint that answers quickly, and of one that does not. */
const largest = { quick: 256, slow: 32 };
const quickMs = 250;
/** Number of windows of calls that may wait in memory for a quick endpoint: a few seconds' worth. */
const waitingWindows = 32;
/** Calls waiting in memory leave one in this many places of a window to calls from the schedule. */
const scheduleShare = 8;
/** Replays take at most one in this many places of an endpoint's room. */
const replayShare = 2;
/** Maximum number of calls in flight to an endpoint that is slow or hangs; each probes whether it is still slow. */
export const slowRoom = 2;
/** Maximum number of endpoints without calls in flight whose windows are remembered. */
const maxIdle = 20_000;
/** Minimum interval between looking up the calls in flight of an endpoint without room. */
const askAgainMs = 100;

type Settled = Pick<DeliveryOutcome, 'endpointId' | 'deliveryId' | 'delivered' | 'durationMs'>;

/** A call that this process has handed over. */
export type InFlight = Pick<DeliveryJob, 'storeId' | 'endpointId' | 'deliveryId'>;

interface Window {
  size: number;
  /** The handed-over calls by delivery id. */
  inFlight: Map<string, InFlight>;
  askedAt: number;
  /** Whether the schedule may hold due calls that had no room. */
  isBehind: boolean;
  isSlow: boolean;
}

/**
 * Limits the calls in flight of each endpoint as TCP does: a window grows with every success and halves with every
 * failure. So an endpoint that hangs holds few of the shared places, and one that answers gets all it can take. Each
 * process keeps windows for the calls it hands over; their outcomes may be reported to another process.
 */
export class SendingWindows {
  /** Windows of endpoints that have calls in flight, which are never evicted. */
  readonly #busy = new Map<string, Window>();
  readonly #idle = new LRUCache<string, Window>({ max: maxIdle });
  /** All calls in flight, in the order of their hand-over, and when each counts as lost. */
  readonly #inFlight = new Map<string, { endpointId: string; lostAt: number }>();
  readonly #lostAfterMs: number;

  constructor(lostAfterMs: number) {
    this.#lostAfterMs = lostAfterMs;
  }

  /** Returns the number of calls in flight of all endpoints. */
  countInFlight(): number {
    this.#giveUpLost();
    return this.#inFlight.size;
  }

  /** Returns how many more calls the endpoint has room for. */
  room(endpointId: string): number {
    this.#giveUpLost();
    const window = this.#window(endpointId);
    return sizeOf(window) - window.inFlight.size;
  }

  /** Returns the room for calls waiting in memory, which leaves some of `room` to other due calls. */
  roomForWaiting(endpointId: string): number {
    return this.room(endpointId) - Math.ceil(sizeOf(this.#window(endpointId)) / scheduleShare);
  }

  /** Returns how many calls of replays may be in flight: a part of the room, so that the rest is free for others. */
  roomForReplays(endpointId: string): number {
    return Math.ceil(Math.max(0, this.room(endpointId)) / replayShare);
  }

  /**
   * Returns how many calls may wait in memory for room. None may when the endpoint is slow, or when the schedule holds
   * earlier calls, which must not be overtaken.
   */
  waitingRoom(endpointId: string): number {
    const { size, isBehind, isSlow } = this.#window(endpointId);
    return isBehind || isSlow || size <= largest.slow ? 0 : size * waitingWindows;
  }

  /** Takes room for a call that is handed over. */
  take(call: InFlight, isSlow: boolean): void {
    const { storeId, endpointId, deliveryId } = call;
    this.learn(endpointId, isSlow);
    const window = this.#window(endpointId);
    // Keep the ids only, because the job itself has the body.
    window.inFlight.set(deliveryId, { storeId, endpointId, deliveryId });
    this.#inFlight.delete(deliveryId);
    this.#inFlight.set(deliveryId, { endpointId, lostAt: performance.now() + this.#lostAfterMs });
    this.#idle.delete(endpointId);
    this.#busy.set(endpointId, window);
  }

  /** Applies what all replicas of the service know about an endpoint. */
  learn(endpointId: string, isSlow: boolean): void {
    this.#window(endpointId).isSlow = isSlow;
  }

  /** Frees the room of a call whose outcome went to another process. */
  release({ endpointId, deliveryId }: InFlight): void {
    this.#end(endpointId, deliveryId);
  }

  /** Returns the calls in flight of endpoints without room whose state was not looked up recently. */
  unconfirmed(): InFlight[] {
    const now = performance.now();
    const windows = [...this.#busy].filter(
      ([endpointId, { askedAt }]) => askedAt + askAgainMs <= now && this.roomForWaiting(endpointId) <= 0,
    );
    return windows.flatMap(([, window]) => {
      window.askedAt = now;
      return [...window.inFlight.values()];
    });
  }

  /** Records whether the schedule may hold due calls that had no room. */
  setBehind(endpointId: string, isBehind: boolean): void {
    this.#window(endpointId).isBehind = isBehind;
  }

  isBehind(endpointId: string): boolean {
    return this.#window(endpointId).isBehind;
  }

  /** Ends a call: frees its room and adjusts the window. */
  settle({ endpointId, deliveryId, delivered, durationMs }: Settled): void {
    const window = this.#window(endpointId);
    this.#end(endpointId, deliveryId);
    window.isSlow = durationMs > slowMs;
    window.size = delivered
      ? Math.min(window.size + 1, durationMs < quickMs ? largest.quick : largest.slow)
      : Math.max(smallest, Math.floor(window.size / 2));
  }

  /**
   * Returns the endpoints that may have less than their usual room, and the room of each. All others have at least
   * `first`.
   */
  limited(): { endpointId: string; room: number }[] {
    const idle = [...this.#idle.entries()].filter(([, window]) => sizeOf(window) < first || window.isBehind);
    return [...this.#busy, ...idle].map(([endpointId]) => ({
      endpointId,
      room: Math.max(0, this.room(endpointId)),
    }));
  }

  #window(endpointId: string): Window {
    let window = this.#busy.get(endpointId) ?? this.#idle.get(endpointId);
    if (!window) {
      window = { size: first, inFlight: new Map(), askedAt: -Infinity, isBehind: false, isSlow: false };
      this.#idle.set(endpointId, window);
    }
    return window;
  }

  #giveUpLost(): void {
    const now = performance.now();
    for (const [deliveryId, { endpointId, lostAt }] of this.#inFlight) {
      if (lostAt > now) return;
      this.#end(endpointId, deliveryId);
    }
  }

  #end(endpointId: string, deliveryId: string): void {
    this.#inFlight.delete(deliveryId);
    const window = this.#busy.get(endpointId);
    if (!window?.inFlight.delete(deliveryId) || window.inFlight.size > 0) return;
    this.#busy.delete(endpointId);
    this.#idle.set(endpointId, window);
  }
}

const sizeOf = ({ size, isSlow }: Window) => (isSlow ? Math.min(size, slowRoom) : size);
