import { sql } from 'kysely';
import type { TaskDefinition } from '../operations/tasks.ts';
import type { AnyDatabase } from './database.ts';

/** A table that is searched by its column `search` and sorted by columns folded from other columns. */
export interface FoldedTable {
  table: string;
  /** The source column of each folded column. `search` holds texts of many columns and is folded from itself. */
  columns: Readonly<Record<string, string>>;
}

const rowsInStep = 1000;

/**
 * Returns the condition of rows that another version wrote without folding their texts. A migration creates a partial
 * index with this condition; it is nearly always empty. Folding leaves lower-case ASCII unchanged.
 */
function unfoldedCondition({ columns }: FoldedTable): string {
  const differences = Object.entries(columns).map(
    ([column, from]) => `${column} <> folded(${from})${column === from ? '' : ' collate "C"'}`,
  );
  return `octet_length(search) <> char_length(search) and (${differences.join(' or ')})`;
}

/** Folds some rows that are not folded yet. Returns whether there were any. */
export async function foldStep(db: AnyDatabase, folded: FoldedTable): Promise<boolean> {
  const { table, columns } = folded;
  const set = Object.entries(columns).map(([column, from]) => `${column} = folded(${from})`);
  const { numAffectedRows } = await sql
    .raw(
      `update ${table} set ${set.join(', ')} where (store_id, id) in (
         select store_id, id from ${table} where ${unfoldedCondition(folded)} limit ${rowsInStep}
       )`,
    )
    .execute(db);
  return (numAffectedRows ?? 0n) > 0n;
}

/**
 * Returns the task that folds rows which replicas of an older version write during an update (`decisions.md 18.3`,
 * 19.2).
 */
export const foldTask = (db: AnyDatabase, ...tables: readonly FoldedTable[]): TaskDefinition => ({
  name: 'fold-texts',
  everyMs: 60_000,
  run: async () => {
    const steps = await Promise.all(tables.map((table) => foldStep(db, table)));
    return steps.includes(true);
  },
});
