import { AsyncLocalStorage } from 'node:async_hooks';
import { type IsolationLevel, type Kysely, sql, type Transaction } from 'kysely';
import { type AnyTransaction, inTransaction, isTransient } from './database.ts';
import { hasEmitted } from './emitting.ts';

/** A unit of work as one of its parts sees it. */
interface Part {
  trx: AnyTransaction;
  unit: {
    isOver: boolean;
    /** What is done once it is committed, in this order. */
    effects: (() => unknown)[];
    /** Why the server broke it off, whatever those who heard of it made of that. */
    failure: unknown;
  };
  /** The transactions that join it here, which take turns. */
  joining: Promise<unknown>;
  /** How many parts it lies in. */
  depth: number;
}

/**
 * A service's database, whose statements and transactions join the unit of work that they are part of: what a request
 * reads and writes, wherever it does so, is then one transaction. Outside of one each stands for itself.
 */
export interface UnitsOfWork<Tables> {
  db: Kysely<Tables>;
  /** `ServiceContext.transaction`. In a unit of work it is a savepoint of it. */
  transaction<Result>(work: (trx: Transaction<Tables>) => Promise<Result>): Promise<Result>;
  /** Whether what runs here is part of one. */
  isInUnit(): boolean;
  /**
   * Runs `work` and all that it calls as one unit. Begins anew when others were in the way, so `work` must bear to be
   * run again.
   */
  run<Result>(
    isolation: IsolationLevel,
    work: (trx: Transaction<Tables>) => Promise<Result>,
  ): Promise<Result>;
  /** What others must not hear of before it is committed: at once outside of a unit, and never when it fails. */
  afterCommit(effect: () => unknown): unknown;
}

/** Of a unit that compares before it changes, half is lost to those who are quicker, and seldom twice. */
const maxAttempts = 10;

export function createUnitsOfWork<Tables>(
  pool: Kysely<Tables>,
  /** Called after each commit with events in it. */
  onEmitted: () => void,
): UnitsOfWork<Tables> {
  const parts = new AsyncLocalStorage<Part | undefined>();
  const current = () => {
    const part = parts.getStore();
    return part && !part.unit.isOver ? part : undefined;
  };

  /** Turn by turn: savepoints of one connection lie within each other. */
  function join<Result>(part: Part, work: (trx: Transaction<Tables>) => Promise<Result>): Promise<Result> {
    const { trx, unit } = part;
    const depth = part.depth + 1;
    // Of its own depth: going back to the name of one within it would leave standing what came before that.
    const savepoint = sql.id(`joined_${depth}`);
    const result = part.joining.then(async () => {
      await sql`savepoint ${savepoint}`.execute(trx);
      try {
        return await parts.run({ trx, unit, depth, joining: Promise.resolve() }, () => work(trx));
      } catch (error) {
        if (isTransient(error)) unit.failure = error;
        else await sql`rollback to savepoint ${savepoint}`.execute(trx);
        throw error;
      }
    });
    part.joining = result.catch(() => {});
    return result;
  }

  return {
    db: new Proxy(pool, {
      get(_, key) {
        const db = (current()?.trx ?? pool) as Kysely<Tables>;
        const value = Reflect.get(db, key, db);
        return typeof value === 'function' ? value.bind(db) : value;
      },
    }),

    isInUnit: () => current() !== undefined,

    async transaction(work) {
      const part = current();
      if (part) return join(part, work);
      let emitted = false;
      const result = await inTransaction(pool, async (trx) => {
        const value = await work(trx);
        emitted = hasEmitted(trx);
        return value;
      });
      if (emitted) onEmitted();
      return result;
    },

    async run(isolation, work) {
      for (let attempt = 1; ; attempt++) {
        const unit: Part['unit'] = { isOver: false, effects: [], failure: undefined };
        let emitted = false;
        try {
          const result = await pool
            .transaction()
            .setIsolationLevel(isolation)
            .execute(async (trx) => {
              try {
                return await parts.run({ trx, unit, depth: 0, joining: Promise.resolve() }, () => work(trx));
              } finally {
                unit.isOver = true;
                emitted = hasEmitted(trx);
              }
            });
          if (emitted) onEmitted();
          for (const effect of unit.effects) await effect();
          return result;
        } catch (error) {
          const isOthersFault = unit.failure !== undefined || isTransient(error);
          if (!isOthersFault || attempt === maxAttempts) throw error;
        }
      }
    },

    afterCommit(effect) {
      const part = current();
      return part ? void part.unit.effects.push(effect) : effect();
    },
  };
}
