import { type Kysely, sql } from 'kysely';
import type { Tables } from './tables.ts';

/**
 * How long a handed-over delivery is leased. It is handed over again afterwards, unless its outcome is recorded first.
 */
export const leaseSeconds = 30;
export const leaseMs = leaseSeconds * 1000;

/** Converts a time of the database's clock to the form that jobs carry: milliseconds since the epoch. */
export const epochMs = (moment: string) => `extract(epoch from ${moment})::float8 * 1000`;

/** Reads the clock that measures leases. */
export async function readClock(db: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{ now: number }>`select ${sql.raw(epochMs('clock_timestamp()'))} as now`.execute(
    db,
  );
  return rows[0]!.now;
}
