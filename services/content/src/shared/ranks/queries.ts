import { isDistributed } from '@waybill/kernel';
import { type RawBuilder, type SqlBool, sql, type Transaction } from 'kysely';
import type { Tables } from '../../tables.ts';

type Trx = Transaction<Tables>;

/** Tables with an order chosen by the merchant: positions have no gaps, and ranks do not change. */
type Ranked = 'page' | 'blog_category';

/** The sort key of cursors. Rows without a rank were never moved, so their position serves. */
export const rankColumn = 'coalesce(rank, position)';

/**
 * Ensures that another row can be placed between any two `siblings`. Must be called under their lock, before positions
 * change. Each insertion into the same gap makes a rank one digit longer. When ranks are too long, or missing in rows
 * of an earlier version, all are renumbered; cursors from before then lead to about the same place.
 */
export async function ensureRanks(trx: Trx, table: Ranked, siblings: RawBuilder<SqlBool>): Promise<void> {
  await sql`
    update ${sql.table(table)} set rank = position
    where ${siblings} and exists (
      select from ${sql.table(table)} where ${siblings} and (rank is null or scale(rank) > 300)
    )`.execute(trx);
}

/**
 * Returns the rank for the row at a position, between the ranks of its neighbours among `siblings`. On Citus it is read
 * first, because a subquery cannot be used as a value there.
 */
export async function rankAt(
  trx: Trx,
  table: Ranked,
  siblings: RawBuilder<SqlBool>,
  position: number,
): Promise<RawBuilder<string>> {
  const rank = rankBetween(table, siblings, position);
  if (!isDistributed(trx)) return rank;
  const { rows } = await sql<{ rank: string }>`select ${rank}::text as rank`.execute(trx);
  return sql<string>`${rows[0]!.rank}::numeric`;
}

const rankBetween = (table: Ranked, siblings: RawBuilder<SqlBool>, position: number) => sql<string>`(
  select trim_scale((coalesce(before, behind - 2, 0) + coalesce(behind, before + 2, 0)) * 0.5)
  from (select
    (select rank from ${sql.table(table)} where ${siblings} and position = ${position - 1}) as before,
    (select rank from ${sql.table(table)} where ${siblings} and position = ${position + 1}) as behind
  ) neighbours
)`;
