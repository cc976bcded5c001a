import { type Kysely, sql } from 'kysely';
import type { Tables } from './tables.ts';

/** A delivery that was handed over is handed over again after this time, unless its outcome is recorded first. */
export const leaseSeconds = 30;
export const leaseMs = leaseSeconds * 1000;

/** A moment of the database's clock as jobs carry it: milliseconds since the epoch. */
export const instant = (moment: string) => `extract(epoch from ${moment})::float8 * 1000`;

/** Reads the clock that leases are measured by. */
export async function readClock(db: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ now: number }>`select ${sql.raw(instant('clock_timestamp()'))} as now`.execute(
    db,
  );
  return rows[0]!.now;
}
