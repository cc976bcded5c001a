import { type DeliveryJob, type DeliveryOutcome, slowMs } from '@waybill/contracts';
import { LRUCache } from 'lru-cache';

const first = 8;
const smallest = 2;
/** For an endpoint that answers quickly, and for one that takes its time. */
const largest = { quick: 256, slow: 32 };
const quickMs = 250;
/** So many windows of calls may wait in memory for an endpoint that answers quickly: some seconds' worth. */
const waitingWindows = 32;
/** Calls that wait in memory leave one part in this many of a window to calls from the schedule. */
const scheduleShare = 8;
/** Replays take at most one part in this many of an endpoint's room. */
const replayShare = 2;
/** An endpoint that is slow, or hangs, has at most this many calls in flight: each probes whether it is still slow. */
export const slowRoom = 2;
/** Windows of this many endpoints without a call in flight are remembered. */
const maxIdle = 20_000;
/** The calls in flight of an endpoint without room are looked up at most this often. */
const askAgainMs = 100;

type Settled = Pick<DeliveryOutcome, 'endpointId' | 'deliveryId' | 'delivered' | 'durationMs'>;

/** A call that this process has handed over. */
export type InFlight = Pick<DeliveryJob, 'storeId' | 'endpointId' | 'deliveryId'>;

interface Window {
  size: number;
  /** By delivery, what is handed over. */
  inFlight: Map<string, InFlight>;
  askedAt: number;
  /** Whether the schedule may hold calls that are due and had no room. */
  isBehind: boolean;
  isSlow: boolean;
}

/**
 * Bounds the calls of one endpoint that are in flight by the rule of TCP: a window that
 * grows with every success and halves with every failure. An endpoint that hangs can hold few of the places
 * that all share, one that answers gets all it can take. Kept by each process for what it hands over itself; how a
 * call ended may have been reported to another one.
 */
export class SendingWindows {
  /** Of the endpoints that have calls in flight; none of them is ever forgotten. */
  readonly #busy = new Map<string, Window>();
  readonly #idle = new LRUCache<string, Window>({ max: maxIdle });
  /** All that is in flight, and when it counts as lost; what was handed over first comes first. */
  readonly #inFlight = new Map<string, { endpointId: string; lostAt: number }>();
  readonly #lostAfterMs: number;

  constructor(lostAfterMs: number) {
    this.#lostAfterMs = lostAfterMs;
  }

  /** How many calls of all endpoints are in flight. */
  countInFlight(): number {
    this.#giveUpLost();
    return this.#inFlight.size;
  }

  /** How many more calls the endpoint has room for. */
  room(endpointId: string): number {
    this.#giveUpLost();
    const window = this.#window(endpointId);
    return sizeOf(window) - window.inFlight.size;
  }

  /** As `room`, for calls that wait in memory: some of it is kept for what else is due. */
  roomForWaiting(endpointId: string): number {
    return this.room(endpointId) - Math.ceil(sizeOf(this.#window(endpointId)) / scheduleShare);
  }

  /** How many calls of replays may be on their way: a part of the room that there is, so that the rest is for others. */
  roomForReplays(endpointId: string): number {
    return Math.ceil(Math.max(0, this.room(endpointId)) / replayShare);
  }

  /**
   * How many calls may wait in memory for room. None where the endpoint takes its time, or the schedule holds some
   * of before, which are not to be overtaken.
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
    // Not the job itself, which has the body.
    window.inFlight.set(deliveryId, { storeId, endpointId, deliveryId });
    this.#inFlight.delete(deliveryId);
    this.#inFlight.set(deliveryId, { endpointId, lostAt: performance.now() + this.#lostAfterMs });
    this.#idle.delete(endpointId);
    this.#busy.set(endpointId, window);
  }

  /** Takes over what all copies of the service know of an endpoint. */
  learn(endpointId: string, isSlow: boolean): void {
    this.#window(endpointId).isSlow = isSlow;
  }

  /** Frees the room of a call whose outcome went to another process. */
  release({ endpointId, deliveryId }: InFlight): void {
    this.#end(endpointId, deliveryId);
  }

  /** The calls in flight of endpoints without room, of which it was not asked lately what has become. */
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

  /** Notes whether the schedule may hold calls that are due and had no room. */
  setBehind(endpointId: string, isBehind: boolean): void {
    this.#window(endpointId).isBehind = isBehind;
  }

  isBehind(endpointId: string): boolean {
    return this.#window(endpointId).isBehind;
  }

  /** A call has ended. */
  settle({ endpointId, deliveryId, delivered, durationMs }: Settled): void {
    const window = this.#window(endpointId);
    this.#end(endpointId, deliveryId);
    window.isSlow = durationMs > slowMs;
    window.size = delivered
      ? Math.min(window.size + 1, durationMs < quickMs ? largest.quick : largest.slow)
      : Math.max(smallest, Math.floor(window.size / 2));
  }

  /** The endpoints that may have less than their usual room, with what is left: the others have at least `first`. */
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
