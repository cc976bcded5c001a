import type { Kysely } from 'kysely';
import { createBatcher } from '../concurrency/batcher.ts';
import type { Queue } from '../concurrency/queue.ts';
import { singleFlight } from '../concurrency/single-flight.ts';

/** Asks the database, in one statement, about items of a key; gives what it says of each, in their order. */
export type BatchedStatement<Tables, Item, Result> = (
  db: Kysely<Tables>,
  key: string,
  items: readonly Item[],
) => Promise<Result[]>;

/** How many go in one statement: with more, who came first would wait for all the others' rows. */
const most = 16;

/** Asks about one item; in a transaction where it is given one, and together with others otherwise. */
export type Batched<Tables, Item, Result> = (key: string, item: Item, db?: Kysely<Tables>) => Promise<Result>;

/**
 * Answers what many ask at once of one key, a store's products say, in few statements (`concurrency/batcher.ts`). An item
 * that is asked for in a transaction is read there, alone. Each item counts among those who wait for the database, not each
 * statement: by `queue` it is told that it has too much to do.
 */
export function createBatched<Tables, Item, Result>(
  pool: Kysely<Tables>,
  queue: Queue,
  ask: BatchedStatement<Tables, Item, Result>,
): Batched<Tables, Item, Result> {
  const askTogether = createBatcher<Item, Result>((key, items) => ask(pool, key, items), most);
  return async (key, item, db) => {
    if (!db?.isTransaction) return queue.wait(() => askTogether(key, item));
    const [result] = await ask(db, key, [item]);
    return result!;
  };
}

/** Asks the database one question about a key. */
export type SharedStatement<Tables, Item, Result> = (
  db: Kysely<Tables>,
  key: string,
  item: Item,
) => Promise<Result>;

/**
 * What many ask at once of one key in the same words, the first page of a store's list say, as one question (`concurrency/single-flight.ts`).
 * Apart from that as above. What it gives is everybody's, so nobody changes it.
 */
export function createShared<Tables, Item, Result>(
  pool: Kysely<Tables>,
  queue: Queue,
  ask: SharedStatement<Tables, Item, Result>,
): (key: string, item: Item) => Promise<Result> {
  const shared = singleFlight<Result>();
  return async (key, item) => {
    const question = questionKey(key, item);
    return queue.wait(() => shared(question, () => ask(pool, key, item)));
  };
}

/** Tells questions apart by their JSON. A Map or a Set has none, so that two of them would share one answer. */
const questionKey = (key: string, item: unknown): string =>
  JSON.stringify([key, item], (_, value: unknown) => {
    if (value instanceof Map || value instanceof Set)
      throw new TypeError('A shared item must be plain JSON.');
    return value;
  });
