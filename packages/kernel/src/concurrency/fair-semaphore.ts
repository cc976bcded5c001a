import { errors } from '@waybill/contracts';
import { withTimeout } from './with-timeout.ts';

export interface FairSemaphoreOptions {
  /** Maximum number of pieces of work that run at once. */
  concurrency: number;
  /** Maximum number of pieces of work that wait for a slot. */
  maxWaiting: number;
  /** Maximum number of pieces of work of one key, running and waiting; by default limited only by the total. */
  maxPerKey?: number;
  /**
   * Maximum time for which a piece of work holds its slot. Longer work continues without a slot, so that work which
   * waits for another service does not stop the work of others.
   */
  maxHoldMs?: number;
}

/** Suspects get one of this many turns, so that they are slowed down but not shut out. */
const suspectTurnInterval = 4;

/** The keys whose work waits, the key with the next turn first. */
type Lane = Map<string, PromiseWithResolvers<void>[]>;

/**
 * Limits how much work of a kind runs at once in this process, and shares the slots fairly between keys, such as stores
 * or networks. The keys take turns. When too much work waits, the key with the most waiting loses its newest piece, so
 * that no key can shut out the others. Suspects have a lane of their own, which gets one turn of four and gives way
 * first. Refused work is rejected with `resource_unavailable` before it begins.
 */
export class FairSemaphore {
  readonly #options: FairSemaphoreOptions;
  readonly #ordinary: Lane = new Map();
  readonly #suspects: Lane = new Map();
  readonly #heldByKey = new Map<string, number>();
  #free: number;
  #waiting = 0;
  #turns = 0;

  constructor(options: FairSemaphoreOptions) {
    this.#options = options;
    this.#free = options.concurrency;
  }

  /** Runs work as soon as its key has a turn. */
  async run<Result>(
    key: string,
    work: () => Promise<Result>,
    { isSuspect = false }: { isSuspect?: boolean } = {},
  ): Promise<Result> {
    const { maxPerKey } = this.#options;
    if (maxPerKey === undefined) return this.#runInTurn(key, work, isSuspect);
    const held = this.#heldByKey.get(key) ?? 0;
    if (held >= maxPerKey) throw createRefusal();
    this.#heldByKey.set(key, held + 1);
    try {
      return await this.#runInTurn(key, work, isSuspect);
    } finally {
      const remaining = this.#heldByKey.get(key)! - 1;
      if (remaining > 0) this.#heldByKey.set(key, remaining);
      else this.#heldByKey.delete(key);
    }
  }

  async #runInTurn<Result>(key: string, work: () => Promise<Result>, isSuspect: boolean): Promise<Result> {
    if (this.#free > 0) this.#free--;
    else await this.#enqueue(isSuspect ? this.#suspects : this.#ordinary, key);
    const { maxHoldMs } = this.#options;
    let running: Promise<Result>;
    try {
      running = work();
      if (maxHoldMs === undefined) return await running;
      await withTimeout(running, maxHoldMs);
    } finally {
      this.#release();
    }
    return running;
  }

  #enqueue(lane: Lane, key: string): Promise<void> {
    const own = lane.get(key) ?? [];
    if (this.#waiting >= this.#options.maxWaiting) this.#evict(lane, own);
    const turn = Promise.withResolvers<void>();
    own.push(turn);
    lane.set(key, own);
    this.#waiting++;
    return turn.promise;
  }

  /** Refuses the newest work of the key with the most waiting work; throws if the newcomer's key is that key. */
  #evict(lane: Lane, own: readonly unknown[]): void {
    const from = this.#suspects.size > 0 ? this.#suspects : this.#ordinary;
    if (from.size === 0) throw createRefusal();
    const [key, queue] = [...from].reduce((most, each) => (each[1].length > most[1].length ? each : most));
    const hasPriority = lane === this.#ordinary && from === this.#suspects;
    if (!hasPriority && queue.length <= own.length + 1) throw createRefusal();
    queue.pop()!.reject(createRefusal());
    if (queue.length === 0) from.delete(key);
    this.#waiting--;
  }

  /** Hands the slot to the key with the next turn. */
  #release(): void {
    const isSuspectsTurn = ++this.#turns % suspectTurnInterval === 0;
    const lane =
      (isSuspectsTurn && this.#suspects.size > 0) || this.#ordinary.size === 0
        ? this.#suspects
        : this.#ordinary;
    const [next] = lane;
    if (!next) {
      this.#free++;
      return;
    }
    const [key, queue] = next;
    const turn = queue.shift()!;
    this.#waiting--;
    // The key goes to the end of its lane: the other keys have their turns first.
    lane.delete(key);
    if (queue.length > 0) lane.set(key, queue);
    turn.resolve();
  }
}

const createRefusal = () => errors.resource_unavailable({ headers: { 'retry-after': '2' } });
