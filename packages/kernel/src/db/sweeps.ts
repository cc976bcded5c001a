import { type RawBuilder, sql } from 'kysely';
import pg from 'pg';
import type { AnyDatabase } from './database.ts';
import { isDistributed } from './distributed.ts';

/**
 * Deletes up to `limit` rows that match `where` from a table without partitions; more clauses may follow the condition.
 * Returns whether there may be more such rows. A row that changes meanwhile stays. On Citus, each shard deletes up to
 * `limit` rows in a transaction of its own: a `ctid` names a row of one shard.
 */
export async function deleteBatch(
  db: AnyDatabase,
  table: string,
  where: RawBuilder<unknown>,
  limit: number,
): Promise<boolean> {
  const deletionFrom = (rows: RawBuilder<unknown>) => sql`delete from ${rows} where ctid = any(array(
    select ctid from ${rows} where ${where} limit ${limit}
  ))`;
  if (isDistributed(db) && (await hasShards(db, table))) {
    // Citus inserts the shard's name where `format` would.
    const command = inlineParameters(db, deletionFrom(sql.raw(shardPlaceholder)))
      .replaceAll('%', '%%')
      .replaceAll(shardPlaceholder, '%1$s');
    const { rows } = await sql<{ isDone: boolean; result: string }>`
      select success as "isDone", result from run_command_on_shards(${table}::regclass, ${command})`.execute(
      db,
    );
    const failed = rows.find(({ isDone }) => !isDone);
    if (failed) throw new Error(`rows of ${table} could not be deleted: ${failed.result}`);
    return rows.some(({ result }) => result === `DELETE ${limit}`);
  }
  const { numAffectedRows } = await deletionFrom(sql.table(table)).execute(db);
  return numAffectedRows === BigInt(limit);
}

const shardPlaceholder = 'this_shard';

/** Whether a table's rows are distributed over several shards. */
async function hasShards(db: AnyDatabase, table: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from pg_dist_partition where logicalrelid = ${table}::regclass and partmethod = 'h'`.execute(db);
  return rows.length > 0;
}

/** Returns a statement with its values inlined, for a function that takes only a text. */
function inlineParameters(db: AnyDatabase, statement: RawBuilder<unknown>): string {
  const { sql: text, parameters } = statement.compile(db);
  return text.replace(/\$(\d+)/g, (_, n) => toLiteral(parameters[Number(n) - 1]));
}

function toLiteral(value: unknown): string {
  if (typeof value === 'number') return String(value);
  return pg.escapeLiteral(value instanceof Date ? value.toISOString() : String(value));
}
