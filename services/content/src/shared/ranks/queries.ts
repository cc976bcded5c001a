import { isSpread } from '@waybill/kernel';
import { type RawBuilder, type SqlBool, sql, type Transaction } from 'kysely';
import type { Tables } from '../../tables.ts';

type Trx = Transaction<Tables>;

/** What stands in an order that its merchant makes: positions without gaps, and ranks that stay. */
type Ranked = 'page' | 'blog_category';

/** The order that cursors go by. Nothing was placed yet where there are no ranks: positions are as good. */
export const rankColumn = 'coalesce(rank, position)';

/**
 * Makes the ranks among `siblings` fit to place another between any two; to be called under their lock, before positions
 * change. Each time something is put into one gap a rank there is a digit longer. When they are too long, or some have
 * none (an earlier version made them), all are numbered anew, and cursors of that moment lead to about their places.
 */
export async function keepRanks(trx: Trx, table: Ranked, siblings: RawBuilder<SqlBool>): Promise<void> {
  await sql`
    update ${sql.table(table)} set rank = position
    where ${siblings} and exists (
      select from ${sql.table(table)} where ${siblings} and (rank is null or scale(rank) > 300)
    )`.execute(trx);
}

/**
 * The rank of what stands at a position now, between those of its neighbours among `siblings`. On Citus, which takes no
 * subquery as a value, it is read before.
 */
export async function rankAt(
  trx: Trx,
  table: Ranked,
  siblings: RawBuilder<SqlBool>,
  position: number,
): Promise<RawBuilder<string>> {
  const rank = rankBetween(table, siblings, position);
  if (!isSpread(trx)) return rank;
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
