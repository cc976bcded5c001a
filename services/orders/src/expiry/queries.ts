import { type Columns, prepare } from '@waybill/kernel';
import type { Insertable, Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;

/** Keeps what an event says of a store's checkout, unless a newer one has come before. */
export async function upsertSetting(
  db: Db,
  storeId: string,
  expiry: Omit<Insertable<Tables['checkout_setting']>, 'store_id' | 'updated_at'>,
  updatedAt: Date,
): Promise<void> {
  const setting = { ...expiry, updated_at: updatedAt };
  await db
    .insertInto('checkout_setting')
    .values({ store_id: storeId, ...setting })
    .onConflict((conflict) =>
      conflict.column('store_id').doUpdateSet(setting).where('checkout_setting.updated_at', '<', updatedAt),
    )
    .execute();
}

export type OrderKey = Columns<
  Tables['order'],
  { storeId: 'store_id'; orderId: 'id'; paysSince: 'pays_since' }
>;

// Of an order that is to be paid at a provider the minutes count, from when its last payment began; of any other the days:
// `decisions.md 19.12`. By a subquery, which is hashed: a plan for any array would compare each row with each of its ids.
const isUnpaid = `store_id = s.store_id and status = 'open' and payment = 'pending' and fulfillment = 'unfulfilled'
       and coalesce(paid_cents, 0) = 0 and id not in (select unnest($3::text[]))
       and not exists (select from payment p where p.store_id = s.store_id and p.order_id = o.id and p.is_under_way)`;
const unpaid = prepare<OrderKey>(
  'expiry-unpaid',
  `select s.store_id as "storeId", o.id as "orderId", o.pays_since as "paysSince"
   from checkout_setting s cross join lateral (
     (select id, pays_since from "order" o
     where ${isUnpaid} and pays_since is null
       and s.expire_manual_after_days > 0 and created_at < now() - make_interval(days => s.expire_manual_after_days)
     order by created_at, id limit $2)
     union all
     (select id, pays_since from "order" o
     where ${isUnpaid} and pays_since is not null
       and s.expire_unpaid_after_minutes > 0
       and pays_since < now() - make_interval(mins => s.expire_unpaid_after_minutes)
     order by pays_since, id limit $2)
   ) o
   where s.expire_manual_after_days > 0 or s.expire_unpaid_after_minutes > 0
   limit $1`,
);

/**
 * Unpaid orders that are older than their store lets them be, over all stores by nature, but for those that are to be left
 * alone: of each so many, its oldest, so that one with a hundred thousand of them keeps no other waiting.
 */
export async function listExpired(
  db: Db,
  limit: number,
  ofEach: number,
  leftAlone: readonly string[] = [],
): Promise<OrderKey[]> {
  const { rows } = await db.executeQuery(unpaid([limit, ofEach, leftAlone]));
  return rows;
}
