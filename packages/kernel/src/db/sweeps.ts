import { type RawBuilder, sql } from 'kysely';
import type { AnyDatabase } from './database.ts';

/**
 * Deletes up to `limit` rows of a table that is not partitioned, those of `where`, a condition and what may follow it;
 * whether there may be more. A row that changes meanwhile stays.
 */
export async function deleteStep(
  db: AnyDatabase,
  table: string,
  where: RawBuilder<unknown>,
  limit: number,
): Promise<boolean> {
  const rows = sql.table(table);
  const { numAffectedRows } = await sql`delete from ${rows} where ctid = any(array(
    select ctid from ${rows} where ${where} limit ${limit}
  ))`.execute(db);
  return numAffectedRows === BigInt(limit);
}
