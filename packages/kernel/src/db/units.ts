import type { IsolationLevel, Kysely, Transaction } from 'kysely';
import { inTransaction, isTransient } from './database.ts';
import { hasEmitted } from './emitting.ts';

/** A service's database, and the transactions in which it writes. */
export interface UnitsOfWork<Tables> {
  db: Kysely<Tables>;
  /** `ServiceContext.transaction`. */
  transaction<Result>(work: (trx: Transaction<Tables>) => Promise<Result>): Promise<Result>;
  /**
   * Runs `work` in one transaction, and after the commit the effects that it registered, in their order. If other
   * writes conflict, it runs `work` again, so that must be safe to repeat.
   */
  run<Result>(
    isolation: IsolationLevel,
    work: (trx: Transaction<Tables>, afterCommit: (effect: () => unknown) => void) => Promise<Result>,
  ): Promise<Result>;
}

/**
 * Maximum number of attempts of a unit. About half of the units that compare before they change lose against a faster
 * one, and rarely twice.
 */
const maxAttempts = 10;

/** Creates the transactions of a service. */
export function createUnitsOfWork<Tables>(
  db: Kysely<Tables>,
  /** Called after each commit with events in it. */
  onEmitted: () => void,
): UnitsOfWork<Tables> {
  return {
    db,

    async transaction(work) {
      let emitted = false;
      const result = await inTransaction(db, async (trx) => {
        const value = await work(trx);
        emitted = hasEmitted(trx);
        return value;
      });
      if (emitted) onEmitted();
      return result;
    },

    async run(isolation, work) {
      for (let attempt = 1; ; attempt++) {
        const effects: (() => unknown)[] = [];
        let emitted = false;
        let result: Awaited<ReturnType<typeof work>>;
        try {
          result = await db
            .transaction()
            .setIsolationLevel(isolation)
            .execute(async (trx) => {
              const value = await work(trx, (effect) => void effects.push(effect));
              emitted = hasEmitted(trx);
              return value;
            });
        } catch (error) {
          if (!isTransient(error) || attempt === maxAttempts) throw error;
          continue;
        }
        // Outside the try: a failure after the commit must not run the transaction again.
        if (emitted) onEmitted();
        for (const effect of effects) await effect();
        return result;
      }
    },
  };
}
