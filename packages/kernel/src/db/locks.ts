import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { sqlState } from './database.ts';

const pauseMs = { first: 100, longest: 5_000 };
/** How often somebody asks for a table that others hold before it gives up: some five minutes. */
const maxAttempts = 60;

/** How long statements of this connection stand in a table's line: who comes behind them waits as long. */
export async function setLockTimeout(connection: Kysely<unknown>, ms: number): Promise<void> {
  await sql`select set_config('lock_timeout', ${`${ms}`}, false)`.execute(connection);
}

/** Repeats what a lock kept from happening, with pauses in which the others have the table. */
export async function withLockRetries<Result>(
  work: () => Promise<Result>,
  attempts = maxAttempts,
): Promise<Result> {
  const lockNotAvailable = '55P03';
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (sqlState(error) !== lockNotAvailable || attempt === attempts) throw error;
      await sleep(Math.min(pauseMs.first * 2 ** attempt, pauseMs.longest));
    }
  }
}

/**
 * Does work that one process at a time does in a database. Who waits asks again and again: an index that is built
 * concurrently waits for every statement that waits for a lock.
 */
export async function alone<Result>(
  connection: Kysely<unknown>,
  lock: number,
  work: () => Promise<Result>,
): Promise<Result> {
  for (;;) {
    const { rows } = await sql<{ isOurs: boolean }>`
      select pg_try_advisory_lock(${lock}) as "isOurs"`.execute(connection);
    if (rows[0]!.isOurs) break;
    await sleep(pauseMs.first);
  }
  try {
    return await work();
  } finally {
    // Lost with the connection where that is what failed.
    await sql`select pg_advisory_unlock(${lock})`.execute(connection).catch(() => {});
  }
}
