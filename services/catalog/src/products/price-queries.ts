import { deleteBatch, prepare } from '@waybill/kernel';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';

type Trx = Transaction<Tables>;

/** A period in which a variant had a price while its product was active. */
export interface PricePeriod {
  variantId: string;
  priceCents: number;
  startedAt: Date;
  endedAt: Date;
}

const insert = prepare(
  'price-period-insert',
  `insert into price_period (store_id, variant_id, started_at, ended_at, price_cents)
   select $1, * from unnest($2::text[], $3::timestamptz[], $4::timestamptz[], $5::bigint[])
   on conflict do nothing`,
);

/** Records prices that are no longer in force. */
export async function endPrices(trx: Trx, storeId: string, periods: readonly PricePeriod[]): Promise<void> {
  if (periods.length === 0) return;
  await trx.executeQuery(
    insert([
      storeId,
      periods.map(({ variantId }) => variantId),
      periods.map(({ startedAt }) => startedAt),
      periods.map(({ endedAt }) => endedAt),
      periods.map(({ priceCents }) => priceCents),
    ]),
  );
}

const lowest = prepare<{ variantId: string; priceCents: number }>(
  'price-period-lowest',
  `select variant_id as "variantId", min(price_cents) as "priceCents" from price_period
   where store_id = $1 and variant_id = any($2::text[]) and ended_at > $3 group by variant_id`,
);

/** Finds the lowest price of each variant that was in force after an instant. Omits variants without one. */
export async function findLowestPrices(
  trx: Trx,
  storeId: string,
  variantIds: readonly string[],
  since: Date,
): Promise<Map<string, number>> {
  if (variantIds.length === 0) return new Map();
  const { rows } = await trx.executeQuery(lowest([storeId, variantIds, since]));
  return new Map(rows.map(({ variantId, priceCents }) => [variantId, priceCents]));
}

const retentionMs = 400 * 86_400_000;

/** Deletes a batch of prices that ended more than 400 days ago. Returns true if there may be more. */
export const purgePrices = (db: Kysely<Tables>, now = Date.now()): Promise<boolean> =>
  deleteBatch(db, 'price_period', sql`ended_at < ${new Date(now - retentionMs)}`, 1_000);
