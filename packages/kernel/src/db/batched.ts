import { AsyncLocalStorage } from 'node:async_hooks';
import type { Kysely } from 'kysely';
import type { UnitsOfWork } from './units.ts';

/** Asks the database, in one statement, about items of a key; gives what it says of each, in their order. */
export type BatchedStatement<Tables, Item, Result> = (
  db: Kysely<Tables>,
  key: string,
  items: readonly Item[],
) => Promise<Result[]>;

/** How many go in one statement: with more, who came first would wait for all the others' rows. */
const most = 16;

interface Waiting<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

interface Line<Item, Result> {
  underWay: number;
  waiting: Waiting<Item, Result>[];
}

/**
 * What many ask at once of one key, a store's products say, in few statements: who comes alone does not wait, who comes
 * while others are being answered goes with all who come meanwhile, and as soon as those fill a statement. Each statement
 * begins after the questions that it answers, so a change holds from the very next request. A failure is everybody's who
 * is in it. In a unit of work an item is a part of that, alone.
 */
export function createBatched<Tables, Item, Result>(
  units: Pick<UnitsOfWork<Tables>, 'db' | 'isInUnit'>,
  ask: BatchedStatement<Tables, Item, Result>,
): (key: string, item: Item) => Promise<Result> {
  const lines = new Map<string, Line<Item, Result>>();
  const outsideOfRequests = AsyncLocalStorage.snapshot();

  async function askNext(key: string, line: Line<Item, Result>): Promise<void> {
    line.underWay++;
    const batch = line.waiting.splice(0, most);
    const items = batch.map(({ item }) => item);
    try {
      const results = await ask(units.db, key, items);
      for (const [i, { resolve }] of batch.entries()) resolve(results[i]!);
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    line.underWay--;
    if (line.waiting.length > 0) void askNext(key, line);
    else if (line.underWay === 0) lines.delete(key);
  }

  return async (key, item) => {
    if (units.isInUnit()) {
      const [result] = await ask(units.db, key, [item]);
      return result!;
    }
    return new Promise((resolve, reject) => {
      const line = lines.get(key) ?? { underWay: 0, waiting: [] };
      lines.set(key, line);
      line.waiting.push({ item, resolve, reject });
      if (line.underWay === 0 || line.waiting.length === most)
        void outsideOfRequests(() => askNext(key, line));
    });
  };
}
