import { AsyncLocalStorage } from 'node:async_hooks';
import type { Readable } from 'node:stream';
import { errors } from '@waybill/contracts';
import type { Transaction } from 'kysely';
import { takeBatch } from '../concurrency/take-batch.ts';
import { type AnyTransaction, sqlState } from './database.ts';
import type { UnitsOfWork } from './units.ts';

/** What is written with others of its key. */
export interface GroupWrite<Tables, Item, Result> {
  /** Writes them in their order, in one transaction, and gives the result of each. May be run again, with some of them. */
  write(trx: Transaction<Tables>, key: string, items: readonly Item[]): Promise<Result[]>;
  /** About how much of a statement an item makes. */
  bytesOf(item: Item): number;
}

/** A request under its Idempotency-Key, whichever copy of the service has it. */
export interface Asked {
  keyHash: Buffer;
  requestHash: Buffer;
  /** The store, organisation or person whose kept answers it counts to. */
  ownerId: string;
}

/** A response as it is stored for its key. `Answer` of `http` has this shape; `db` stands below `http`, so it names the shape only. */
export interface StoredResponse {
  readonly body: string | Buffer | Readable;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number | undefined;
}

/** An item that a request under a key asks for: its answer is kept in the transaction that writes it. */
export interface KeyedWrite<Result> {
  asked: Asked;
  /** Throws for a result that says that nothing was written. */
  answerOf(result: Result): Promise<StoredResponse>;
}

/** Where the answers to keys are, `http/idempotency.ts`. */
export interface KeyedAnswers {
  /** Has keys to itself until the transaction ends; of each what to reject it with, or null where its item is to be written. */
  claim(trx: AnyTransaction, all: readonly Asked[]): Promise<(Error | null)[]>;
  keep(trx: AnyTransaction, all: readonly { asked: Asked; answer: StoredResponse }[]): Promise<void>;
}

/** Writes an item with others of its key. */
export type WriteWithOthers<Item, Result> = (
  key: string,
  item: Item,
  keyed?: KeyedWrite<Result>,
) => Promise<Result>;

/** How many go in one transaction: with more, who came first would wait for all the others' rows. */
const most = 32;

/** Thrown by a write of several: what one of them comes to would change what others are answered. */
export class WriteAlone extends Error {}

/** How long an item waits for its turn. Beyond it the row of its key is held by somebody, and it is refused unwritten. */
const maxWaitMs = 10_000;

interface Waiting<Item, Result> {
  item: Item;
  keyed: KeyedWrite<Result> | undefined;
  since: number;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/**
 * Group commit, for writes that take turns at a row of their key anyway: those that come while one is under way go
 * together, in one transaction that waits for the disk once. A key so has one connection at a time, however many ask.
 * What the database refuses of several (a duplicate, say) is written one by one, so that each has the error that is its
 * own. In a unit of work an item is a part of that, alone; a request under a key is spared one, as its answer is kept with
 * those of the others (`RouteRequest.once`). Who has waited for `waitMs` milliseconds is refused with
 * `resource_unavailable` (`store-api.md 7.1`), and nothing was written. A write knows nothing of the requests that it is for: their
 * traces come with the items.
 */
export function createGroupCommit<Tables, Item, Result>(
  units: Pick<UnitsOfWork<Tables>, 'transaction' | 'isInUnit'>,
  { write, bytesOf }: GroupWrite<Tables, Item, Result>,
  answers: KeyedAnswers,
  waitMs = maxWaitMs,
): WriteWithOthers<Item, Result> {
  const lines = new Map<string, Waiting<Item, Result>[]>();
  const outsideOfRequests = AsyncLocalStorage.snapshot();

  /** Writes those of a batch that their keys let through; what tells each what has become of it, once that is committed. */
  async function writeNew(
    trx: Transaction<Tables>,
    key: string,
    batch: readonly Waiting<Item, Result>[],
  ): Promise<(() => void)[]> {
    const withKey = batch.filter(({ keyed }) => keyed);
    const asked = withKey.map(({ keyed }) => keyed!.asked);
    const refusals = asked.length > 0 ? await answers.claim(trx, asked) : [];
    const refusalOf = new Map(withKey.map((one, i) => [one, refusals[i]]));
    const tellings: (() => void)[] = [];
    for (const [one, refusal] of refusalOf) if (refusal) tellings.push(() => one.reject(refusal));
    const fresh = batch.filter((one) => !refusalOf.get(one));
    const items = fresh.map(({ item }) => item);
    const results = items.length > 0 ? await write(trx, key, items) : [];
    const given: { asked: Asked; answer: StoredResponse }[] = [];
    for (const [i, { keyed, resolve, reject }] of fresh.entries()) {
      const result = results[i]!;
      try {
        if (keyed) given.push({ asked: keyed.asked, answer: await keyed.answerOf(result) });
        tellings.push(() => resolve(result));
      } catch (error) {
        tellings.push(() => reject(error));
      }
    }
    if (given.length > 0) await answers.keep(trx, given);
    return tellings;
  }

  async function writeBatch(key: string, batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      for (const tell of await units.transaction((trx) => writeNew(trx, key, batch))) tell();
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

  return async (key, item, keyed) => {
    if (units.isInUnit()) {
      const [result] = await units.transaction((trx) => write(trx, key, [item]));
      return result!;
    }
    return new Promise((resolve, reject) => {
      const waiting = { item, keyed, since: performance.now(), resolve, reject };
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
