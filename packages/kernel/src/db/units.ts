import { AsyncLocalStorage } from 'node:async_hooks';
import { type IsolationLevel, type Kysely, sql, type Transaction } from 'kysely';
import { type AnyTransaction, inTransaction, isTransient } from './database.ts';
import { hasEmitted } from './emitting.ts';

/** A unit of work as one of its parts sees it. */
interface Part {
  trx: AnyTransaction;
  unit: {
    isOver: boolean;
    /** Runs after the commit, in this order. */
    effects: (() => unknown)[];
    /** Why the server broke the unit off, even when a part has caught that error. */
    failure: unknown;
  };
  /** The transactions that join this part, which take turns. */
  joining: Promise<unknown>;
  /** How many parts it lies in. */
  depth: number;
}

/** A service's database, and the transactions in which its requests write. */
export interface UnitsOfWork<Tables> {
  db: Kysely<Tables>;
  /** `ServiceContext.transaction`. Inside an ambient unit of work it is a savepoint of that unit. */
  transaction<Result>(work: (trx: Transaction<Tables>) => Promise<Result>): Promise<Result>;
  /** Whether the caller runs inside an ambient unit of work. */
  isInUnit(): boolean;
  /** Runs `work` in one transaction. Begins again when other writes were in the way, so `work` must bear a second run. */
  run<Result>(
    isolation: IsolationLevel,
    work: (trx: Transaction<Tables>, afterCommit: (effect: () => unknown) => void) => Promise<Result>,
  ): Promise<Result>;
  /** Runs an effect after the commit of the ambient unit of work; at once outside of one, and never when it fails. */
  afterCommit(effect: () => unknown): unknown;
}

/** Of units that compare before they change, half lose against a quicker one, and seldom twice. */
const maxAttempts = 10;

/**
 * A service whose writes are explicit passes its transaction on (`WriteContext`), and `db` is its pool. In a service that
 * has not moved to that, units are ambient: `db` and `transaction` join the unit of the request that calls them.
 */
export function createUnitsOfWork<Tables>(
  pool: Kysely<Tables>,
  /** Called after each commit with events in it. */
  onEmitted: () => void,
  { isAmbient }: { isAmbient: boolean },
): UnitsOfWork<Tables> {
  const parts = new AsyncLocalStorage<Part | undefined>();
  const current = () => {
    const part = isAmbient ? parts.getStore() : undefined;
    return part && !part.unit.isOver ? part : undefined;
  };

  /** Joins take turns: savepoints of one connection lie within each other. */
  function join<Result>(part: Part, work: (trx: Transaction<Tables>) => Promise<Result>): Promise<Result> {
    const { trx, unit } = part;
    const depth = part.depth + 1;
    // Named by depth: a rollback to the name of an inner savepoint would keep what came before the inner one.
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

  /** A database whose statements go to the ambient unit of work, for services whose writes are not explicit yet. */
  const ambientDatabase = () =>
    new Proxy(pool, {
      get(_, key) {
        const db = (current()?.trx ?? pool) as Kysely<Tables>;
        const value = Reflect.get(db, key, db);
        return typeof value === 'function' ? value.bind(db) : value;
      },
    });

  return {
    db: isAmbient ? ambientDatabase() : pool,

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
        const afterCommit = (effect: () => unknown) => void unit.effects.push(effect);
        let emitted = false;
        let result: Awaited<ReturnType<typeof work>>;
        try {
          result = await pool
            .transaction()
            .setIsolationLevel(isolation)
            .execute(async (trx) => {
              const runWork = () => work(trx, afterCommit);
              try {
                if (!isAmbient) return await runWork();
                return await parts.run({ trx, unit, depth: 0, joining: Promise.resolve() }, runWork);
              } finally {
                unit.isOver = true;
                emitted = hasEmitted(trx);
              }
            });
        } catch (error) {
          const isOthersFault = unit.failure !== undefined || isTransient(error);
          if (!isOthersFault || attempt === maxAttempts) throw error;
          continue;
        }
        // Outside the try: what fails after the commit must not run the transaction again.
        if (emitted) onEmitted();
        for (const effect of unit.effects) await effect();
        return result;
      }
    },

    afterCommit(effect) {
      const part = current();
      return part ? void part.unit.effects.push(effect) : effect();
    },
  };
}
