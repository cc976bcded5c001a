import { AsyncLocalStorage } from 'node:async_hooks';
import type { Readable } from 'node:stream';
import { errors } from '@waybill/contracts';
import type { Transaction } from 'kysely';
import { takeBatch } from '../concurrency/take-batch.ts';
import { type AnyTransaction, sqlState } from './database.ts';
import type { UnitsOfWork } from './units.ts';

/** A write that shares a transaction with others of its key. */
export interface GroupWrite<Tables, Item, Result> {
  /**
   * Writes the items in their order, in one transaction, and returns a result for each. May run again with some of
   * them.
   */
  write(trx: Transaction<Tables>, key: string, items: readonly Item[]): Promise<Result[]>;
  /** The approximate number of bytes that an item adds to a statement. */
  measureBytes(item: Item): number;
}

/** Identifies a request under its Idempotency-Key, in whichever replica of the service it arrives. */
export interface RequestFingerprint {
  keyHash: Buffer;
  requestHash: Buffer;
  /** The store, organisation or person against whose limit the stored response counts. */
  ownerId: string;
}

/**
 * A response as it is stored for its key. `Answer` of `http` has this shape. `db` is a layer below `http`, so this file
 * names only the shape.
 */
export interface StoredResponse {
  readonly body: string | Buffer | Readable;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number | undefined;
}

/** An item of a request under a key: its response is stored in the transaction that writes the item. */
export interface KeyedWrite<Result> {
  fingerprint: RequestFingerprint;
  /** Throws for a result that means that nothing was written. */
  createResponse(result: Result): Promise<StoredResponse>;
}

/** The store of responses to keys, `http/idempotency.ts`. */
export interface ResponseStore {
  /**
   * Locks keys until the transaction ends. Returns for each key the error that rejects its request, or null if its item
   * is to be written.
   */
  claim(trx: AnyTransaction, fingerprints: readonly RequestFingerprint[]): Promise<(Error | null)[]>;
  store(
    trx: AnyTransaction,
    responses: readonly { fingerprint: RequestFingerprint; response: StoredResponse }[],
  ): Promise<void>;
}

/** The scope in which an item is written. */
export interface WriteScope<Result> {
  /** The request under a key that writes the item; its response is stored with the item. */
  keyed?: KeyedWrite<Result> | undefined;
  /** The transaction that writes this item alone; without one, the item shares a transaction with others of its key. */
  // biome-ignore lint/suspicious/noExplicitAny: the tables are those of the group
  trx?: Transaction<any>;
}

/** Writes an item together with others of its key. */
export type GroupedWrite<Item, Result> = (
  key: string,
  item: Item,
  scope?: WriteScope<Result>,
) => Promise<Result>;

/** Maximum number of items in a transaction: with more, the first item would wait for the rows of all the others. */
const maxBatch = 32;

/**
 * Thrown by a write of several items if one of them would change the results of the others: each is then written alone.
 */
export class WriteAlone extends Error {}

/**
 * Maximum time that an item waits for its turn. After that, another transaction holds the row of the key for too long,
 * and the item is refused unwritten.
 */
const maxWaitMs = 10_000;

interface PendingWrite<Item, Result> {
  item: Item;
  keyed: KeyedWrite<Result> | undefined;
  since: number;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Creates a group commit, for writes that take turns at a row of their key anyway. Writes that arrive while another
 * runs share one transaction, which waits for the disk once. So a key uses one connection at a time, however many
 * writes arrive. If the database refuses the data of a batch (a duplicate, for example), the items are written one by
 * one, so that each gets its own error. A request under a key needs no unit of its own, because its response is stored
 * with those of the others. An item that has waited for `waitMs` milliseconds is refused with `resource_unavailable`
 * (`store-api.md 7.1`), and nothing was written. A write knows nothing of the requests that it serves: their traces
 * come with the items.
 */
export function createGroupCommit<Tables, Item, Result>(
  units: Pick<UnitsOfWork<Tables>, 'transaction'>,
  { write, measureBytes }: GroupWrite<Tables, Item, Result>,
  responses: ResponseStore,
  waitMs = maxWaitMs,
): GroupedWrite<Item, Result> {
  const queues = new Map<string, PendingWrite<Item, Result>[]>();
  const outsideOfRequests = AsyncLocalStorage.snapshot();

  /** Writes the items that `claim` lets through. Returns the functions that settle each item after the commit. */
  async function writeNew(
    trx: Transaction<Tables>,
    key: string,
    batch: readonly PendingWrite<Item, Result>[],
  ): Promise<(() => void)[]> {
    const withKey = batch.filter(({ keyed }) => keyed);
    const fingerprints = withKey.map(({ keyed }) => keyed!.fingerprint);
    const refusals = fingerprints.length > 0 ? await responses.claim(trx, fingerprints) : [];
    const refusalByWrite = new Map(withKey.map((pending, i) => [pending, refusals[i]]));
    const settlements: (() => void)[] = [];
    for (const [pending, refusal] of refusalByWrite)
      if (refusal) settlements.push(() => pending.reject(refusal));
    const admitted = batch.filter((pending) => !refusalByWrite.get(pending));
    const items = admitted.map(({ item }) => item);
    const results = items.length > 0 ? await write(trx, key, items) : [];
    const storedAnswers: { fingerprint: RequestFingerprint; response: StoredResponse }[] = [];
    for (const [i, { keyed, resolve, reject }] of admitted.entries()) {
      const result = results[i]!;
      try {
        if (keyed)
          storedAnswers.push({
            fingerprint: keyed.fingerprint,
            response: await keyed.createResponse(result),
          });
        settlements.push(() => resolve(result));
      } catch (error) {
        settlements.push(() => reject(error));
      }
    }
    if (storedAnswers.length > 0) await responses.store(trx, storedAnswers);
    return settlements;
  }

  async function writeBatch(key: string, batch: readonly PendingWrite<Item, Result>[]): Promise<void> {
    try {
      for (const settle of await units.transaction((trx) => writeNew(trx, key, batch))) settle();
    } catch (error) {
      if (batch.length === 1 || !isCausedByItem(error)) for (const { reject } of batch) reject(error);
      else for (const pending of batch) await writeBatch(key, [pending]);
    }
  }

  async function writeQueue(key: string, queue: PendingWrite<Item, Result>[]): Promise<void> {
    while (queue.length > 0) {
      const batch = takeBatch(queue, maxBatch, ({ item }) => measureBytes(item));
      const oldest = performance.now() - waitMs;
      for (const { since, reject } of batch) if (since < oldest) reject(tooLate());
      const inTime = batch.filter(({ since }) => since >= oldest);
      if (inTime.length > 0) await writeBatch(key, inTime);
    }
    queues.delete(key);
  }

  return async (key, item, { keyed, trx } = {}) => {
    if (trx) return (await write(trx, key, [item]))[0]!;
    return new Promise((resolve, reject) => {
      const pending = { item, keyed, since: performance.now(), resolve, reject };
      const queue = queues.get(key);
      if (queue) queue.push(pending);
      else {
        const ours = [pending];
        queues.set(key, ours);
        void outsideOfRequests(() => writeQueue(key, ours));
      }
    });
  };
}

const tooLate = () => errors.resource_unavailable({ headers: { 'retry-after': '1' } });

/** Whether the data of one item was refused, as opposed to a database that failed all items. */
function isCausedByItem(error: unknown): boolean {
  return error instanceof WriteAlone || /^2[23]/.test(sqlState(error) ?? '');
}
