import { sql } from 'kysely';
import type { TaskDefinition } from '../operations/tasks.ts';
import type { AnyDatabase } from './database.ts';

/** A table with fewer rows than this needs no statistics: every plan is quick. */
const smallTableRows = 50;
/** The server's own analysis is early enough for larger tables, whose plans no longer change. */
const largeTableRows = 1_000_000;
/**
 * The number of values and ranges that an analysis finds of each column: a tenth of the usual, from a tenth of the usual
 * sample. It tells keys from other indexes just as well. With the usual sample of 30,000 rows, analyzing the first 12,500
 * events and deliveries took as long as inserting them; and the server takes that sample by itself soon.
 */
const statisticsTarget = '10';

/**
 * Analyzes the tables that have doubled since they were analyzed. Every index begins with the store, so the planner
 * cannot tell a key from any other index while it knows nothing of a table: it may read all rows of a store for each
 * row it looks up, and prepared statements keep such a plan until the table is analyzed. A server does that by itself
 * only once a minute, and a new table or partition may have ten thousand rows by then.
 */
export async function analyzeGrownTables(db: AnyDatabase): Promise<void> {
  // The view `pg_stat_user_tables` joins four catalogs, and planning that takes longer than reading one.
  const { rows } = await sql<{ name: string }>`
    select oid::regclass::text as name from pg_class
    where relkind = 'r' and relnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
      and pg_stat_get_live_tuples(oid) between ${smallTableRows} and ${largeTableRows}
      and pg_stat_get_live_tuples(oid) > 2 * reltuples and pg_has_role(relowner, 'usage')`.execute(db);
  for (const { name } of rows) {
    await db.transaction().execute(async (trx) => {
      await sql`select set_config('default_statistics_target', ${statisticsTarget}, true)`.execute(trx);
      // Another copy of the service may be at it.
      await sql.raw(`analyze (skip_locked) ${name}`).execute(trx);
    });
  }
}

/** Returns the task that analyzes tables which grow quickly. */
export const analyzeTask = (db: AnyDatabase): TaskDefinition => ({
  name: 'analyze-grown-tables',
  everyMs: 5_000,
  run: () => analyzeGrownTables(db),
});
