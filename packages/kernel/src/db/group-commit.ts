import { AsyncLocalStorage } from 'node:async_hooks';
import { errors } from '@waybill/contracts';
import type { Transaction } from 'kysely';
import { takeBatch } from '../events/batch.ts';
import { sqlState } from './database.ts';
import type { UnitsOfWork } from './units.ts';

/** What is written with others of its key. */
export interface GroupWrite<Tables, Item, Result> {
  /** Writes them in their order, in one transaction, and gives the result of each. May be run again, with some of them. */
  write(trx: Transaction<Tables>, key: string, items: readonly Item[]): Promise<Result[]>;
  /** About how much of a statement an item makes. */
  bytesOf(item: Item): number;
}

/** How many go in one transaction: with more, who came first would wait for all the others' rows. */
const most = 32;

/** Thrown by a write of several: what one of them comes to would change what others are answered. */
export class WriteAlone extends Error {}

/** How long an item waits for its turn. Beyond it the row of its key is held by somebody, and it is refused unwritten. */
const maxWaitMs = 10_000;

interface Waiting<Item, Result> {
  item: Item;
  since: number;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Group commit, for writes that take turns at a row of their key anyway: those that come while one is under way go
 * together, in one transaction that waits for the disk once. A key so has one connection at a time, however many ask.
 * What the database refuses of several (a duplicate, say) is written one by one, so that each has the error that is its
 * own. In a unit of work an item is a part of that, alone. Who has waited for `waitMs` milliseconds is refused with
 * `resource_unavailable` (`store-api.md 7.1`), and nothing was written. A write knows nothing of the requests that it is for: their
 * traces come with the items.
 */
export function createGroupCommit<Tables, Item, Result>(
  units: Pick<UnitsOfWork<Tables>, 'transaction' | 'isInUnit'>,
  { write, bytesOf }: GroupWrite<Tables, Item, Result>,
  waitMs = maxWaitMs,
): (key: string, item: Item) => Promise<Result> {
  const lines = new Map<string, Waiting<Item, Result>[]>();
  const outsideOfRequests = AsyncLocalStorage.snapshot();
  const writeAll = (key: string, items: readonly Item[]) =>
    units.transaction((trx) => write(trx, key, items));

  async function writeBatch(key: string, batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const items = batch.map(({ item }) => item);
      const results = await writeAll(key, items);
      for (const [i, { resolve }] of batch.entries()) resolve(results[i]!);
    } catch (error) {
      if (batch.length === 1 || !isFaultOfOne(error)) for (const { reject } of batch) reject(error);
      else for (const one of batch) await writeBatch(key, [one]);
    }
  }

  async function writeLine(key: string, line: Waiting<Item, Result>[]): Promise<void> {
    while (line.length > 0) {
      const batch = takeBatch(line, most, ({ item }) => bytesOf(item));
      const oldest = performance.now() - waitMs;
      for (const { since, reject } of batch) if (since < oldest) reject(tooLate());
      const inTime = batch.filter(({ since }) => since >= oldest);
      if (inTime.length > 0) await writeBatch(key, inTime);
    }
    lines.delete(key);
  }

  return async (key, item) => {
    if (units.isInUnit()) return (await writeAll(key, [item]))[0]!;
    return new Promise((resolve, reject) => {
      const waiting = { item, since: performance.now(), resolve, reject };
      const line = lines.get(key);
      if (line) line.push(waiting);
      else {
        const ours = [waiting];
        lines.set(key, ours);
        void outsideOfRequests(() => writeLine(key, ours));
      }
    });
  };
}

const tooLate = () => errors.resource_unavailable({ headers: { 'retry-after': '1' } });

/** Whether the data of an item was refused, rather than all of them for want of a database. */
function isFaultOfOne(error: unknown): boolean {
  return error instanceof WriteAlone || /^2[23]/.test(sqlState(error) ?? '');
}
