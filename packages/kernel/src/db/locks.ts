import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { sqlState } from './database.ts';

const pauseMs = { first: 100, longest: 5_000 };
/** Number of attempts to lock a table that others hold before giving up, some five minutes. */
const maxAttempts = 60;

/**
 * How long a change of a table waits for its lock, in milliseconds. Statements queued behind it wait as long, and then
 * while it runs: together, no more than a second (`decisions.md 18.3`).
 */
export const lockTimeoutMs = 500;

/**
 * Sets how long statements of this connection wait for a lock on a table: statements queued behind them wait as long.
 */
export async function setLockTimeout(connection: Kysely<unknown>, ms: number): Promise<void> {
  await sql`select set_config('lock_timeout', ${`${ms}`}, false)`.execute(connection);
}

/** Repeats work that failed to get a lock, with pauses in which the others can use the table. */
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
 * Runs work that only one process at a time may do in a database. The other processes poll for the lock: a concurrent
 * index build waits for every statement that waits for a lock, so none may wait.
 */
export async function withAdvisoryLock<Result>(
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
    // If the connection failed, the lock is gone with it.
    await sql`select pg_advisory_unlock(${lock})`.execute(connection).catch(() => {});
  }
}
