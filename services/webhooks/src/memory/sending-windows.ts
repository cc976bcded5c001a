import { type DeliveryJob, type DeliveryOutcome, slowMs } from '@waybill/contracts';
import { LRUCache } from 'lru-cache';

const initialSize = 8;
const minSize = 2;
/** Largest window of an endpoint that answers quickly, and of one that does not. */
const maxSize = { quick: 256, slow: 32 };
const quickMs = 250;
/** Number of windows of calls that may wait in memory for a quick endpoint: a few seconds' worth. */
const waitingWindows = 32;
/** Calls waiting in memory leave one in this many places of a window to calls from the schedule. */
const scheduleShare = 8;
/** Replays take at most one in this many places of an endpoint's room. */
const replayShare = 2;
/** Maximum number of calls in flight to an endpoint that is slow or hangs; each probes whether it is still slow. */
export const slowCapacity = 2;
/** Maximum number of endpoints without calls in flight whose windows are remembered. */
const maxIdle = 20_000;
/** Minimum interval between looking up the calls in flight of an endpoint without room. */
const recheckIntervalMs = 100;

type Settled = Pick<DeliveryOutcome, 'endpointId' | 'deliveryId' | 'delivered' | 'durationMs'>;

/** A call that this process has handed over. */
export type InFlight = Pick<DeliveryJob, 'storeId' | 'endpointId' | 'deliveryId'>;

interface Window {
  size: number;
  /** The handed-over calls by delivery id. */
  inFlight: Map<string, InFlight>;
  checkedAt: number;
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
  readonly #busyWindows = new Map<string, Window>();
  readonly #idleWindows = new LRUCache<string, Window>({ max: maxIdle });
  /** All calls in flight, in the order of their hand-over, and when each counts as lost. */
  readonly #inFlight = new Map<string, { endpointId: string; lostAt: number }>();
  readonly #lostAfterMs: number;

  constructor(lostAfterMs: number) {
    this.#lostAfterMs = lostAfterMs;
  }

  /** Returns the number of calls in flight of all endpoints. */
  countInFlight(): number {
    this.#endLostCalls();
    return this.#inFlight.size;
  }

  /** Returns how many more calls the endpoint has room for. */
  capacity(endpointId: string): number {
    this.#endLostCalls();
    const window = this.#window(endpointId);
    return getSize(window) - window.inFlight.size;
  }

  /** Returns the room for calls waiting in memory, which leaves some of `capacity` to other due calls. */
  capacityForWaiting(endpointId: string): number {
    return this.capacity(endpointId) - Math.ceil(getSize(this.#window(endpointId)) / scheduleShare);
  }

  /** Returns how many calls of replays may be in flight: a part of the room, so that the rest is free for others. */
  capacityForReplays(endpointId: string): number {
    return Math.ceil(Math.max(0, this.capacity(endpointId)) / replayShare);
  }

  /**
   * Returns how many calls may wait in memory for room. None may when the endpoint is slow, or when the schedule holds
   * earlier calls, which must not be overtaken.
   */
  waitingCapacity(endpointId: string): number {
    const { size, isBehind, isSlow } = this.#window(endpointId);
    return isBehind || isSlow || size <= maxSize.slow ? 0 : size * waitingWindows;
  }

  /** Takes room for a call that is handed over. */
  acquire(call: InFlight, isSlow: boolean): void {
    const { storeId, endpointId, deliveryId } = call;
    this.setSlow(endpointId, isSlow);
    const window = this.#window(endpointId);
    // Keep the ids only, because the job itself has the body.
    window.inFlight.set(deliveryId, { storeId, endpointId, deliveryId });
    this.#inFlight.delete(deliveryId);
    this.#inFlight.set(deliveryId, { endpointId, lostAt: performance.now() + this.#lostAfterMs });
    this.#idleWindows.delete(endpointId);
    this.#busyWindows.set(endpointId, window);
  }

  /** Applies what all replicas of the service know about an endpoint. */
  setSlow(endpointId: string, isSlow: boolean): void {
    this.#window(endpointId).isSlow = isSlow;
  }

  /** Frees the room of a call whose outcome went to another process. */
  release({ endpointId, deliveryId }: InFlight): void {
    this.#endCall(endpointId, deliveryId);
  }

  /** Returns the calls in flight of endpoints without room whose state was not looked up recently. */
  listUnconfirmed(): InFlight[] {
    const now = performance.now();
    const windows = [...this.#busyWindows].filter(
      ([endpointId, { checkedAt }]) =>
        checkedAt + recheckIntervalMs <= now && this.capacityForWaiting(endpointId) <= 0,
    );
    return windows.flatMap(([, window]) => {
      window.checkedAt = now;
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
    this.#endCall(endpointId, deliveryId);
    window.isSlow = durationMs > slowMs;
    window.size = delivered
      ? Math.min(window.size + 1, durationMs < quickMs ? maxSize.quick : maxSize.slow)
      : Math.max(minSize, Math.floor(window.size / 2));
  }

  /**
   * Returns the endpoints that may have less than their usual room, and the room of each. All others have at least
   * `initialSize`.
   */
  listLimited(): { endpointId: string; capacity: number }[] {
    const limitedIdle = [...this.#idleWindows.entries()].filter(
      ([, window]) => getSize(window) < initialSize || window.isBehind,
    );
    return [...this.#busyWindows, ...limitedIdle].map(([endpointId]) => ({
      endpointId,
      capacity: Math.max(0, this.capacity(endpointId)),
    }));
  }

  #window(endpointId: string): Window {
    let window = this.#busyWindows.get(endpointId) ?? this.#idleWindows.get(endpointId);
    if (!window) {
      window = {
        size: initialSize,
        inFlight: new Map(),
        checkedAt: -Infinity,
        isBehind: false,
        isSlow: false,
      };
      this.#idleWindows.set(endpointId, window);
    }
    return window;
  }

  #endLostCalls(): void {
    const now = performance.now();
    for (const [deliveryId, { endpointId, lostAt }] of this.#inFlight) {
      if (lostAt > now) return;
      this.#endCall(endpointId, deliveryId);
    }
  }

  #endCall(endpointId: string, deliveryId: string): void {
    this.#inFlight.delete(deliveryId);
    const window = this.#busyWindows.get(endpointId);
    if (!window?.inFlight.delete(deliveryId) || window.inFlight.size > 0) return;
    this.#busyWindows.delete(endpointId);
    this.#idleWindows.set(endpointId, window);
  }
}

const getSize = ({ size, isSlow }: Window) => (isSlow ? Math.min(size, slowCapacity) : size);
