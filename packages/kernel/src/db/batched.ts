import type { Kysely } from 'kysely';
import { createBatcher } from '../concurrency/batcher.ts';
import type { Queue } from '../concurrency/queue.ts';
import { singleFlight } from '../concurrency/single-flight.ts';

/** Queries items of a key in one statement. Returns a result for each item, in their order. */
export type BatchQueryStatement<Tables, Item, Result> = (
  db: Kysely<Tables>,
  key: string,
  items: readonly Item[],
) => Promise<Result[]>;

/** Maximum number of items in one statement: with more, the first item would wait for the rows of all the others. */
const maxBatch = 16;

/** Queries one item: in `db` if that is a transaction, otherwise together with other items. */
export type BatchedQuery<Tables, Item, Result> = (
  key: string,
  item: Item,
  db?: Kysely<Tables>,
) => Promise<Result>;

/**
 * Answers many simultaneous queries about one key, such as a store's products, in few statements
 * (`concurrency/batcher.ts`). An item that is queried in a transaction is read there, alone. Each item, not each
 * statement, counts as waiting for the database, so that `queue` notices overload.
 */
export function createBatchedQuery<Tables, Item, Result>(
  pool: Kysely<Tables>,
  queue: Queue,
  query: BatchQueryStatement<Tables, Item, Result>,
): BatchedQuery<Tables, Item, Result> {
  const queryInBatch = createBatcher<Item, Result>((key, items) => query(pool, key, items), maxBatch);
  return async (key, item, db) => {
    if (!db?.isTransaction) return queue.wait(() => queryInBatch(key, item));
    const [result] = await query(db, key, [item]);
    return result!;
  };
}

/** Asks the database one question about a key. */
export type SharedQueryStatement<Tables, Item, Result> = (
  db: Kysely<Tables>,
  key: string,
  item: Item,
) => Promise<Result>;

/**
 * Answers many equal questions about one key at once, such as the first page of a store's list, with one query
 * (`concurrency/single-flight.ts`). It counts in `queue` as `createBatchedQuery` does. All callers share the result, so
 * none may change it.
 */
export function createSharedQuery<Tables, Item, Result>(
  pool: Kysely<Tables>,
  queue: Queue,
  query: SharedQueryStatement<Tables, Item, Result>,
): (key: string, item: Item) => Promise<Result> {
  const shared = singleFlight<Result>();
  return async (key, item) => {
    const question = questionKey(key, item);
    return queue.wait(() => shared(question, () => query(pool, key, item)));
  };
}

/** Tells questions apart by their JSON. A Map or a Set has none, so that two of them would share one answer. */
const questionKey = (key: string, item: unknown): string =>
  JSON.stringify([key, item], (_, value: unknown) => {
    if (value instanceof Map || value instanceof Set)
      throw new TypeError('A shared item must be plain JSON.');
    return value;
  });
