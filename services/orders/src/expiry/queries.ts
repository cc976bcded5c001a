import { type Columns, prepare } from '@waybill/kernel';
import type { Insertable, Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;

/** Stores a store's checkout settings from an event, unless a newer event came first. */
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

// Orders that are paid at a provider expire by minutes since their last payment began, others by days:
// `decisions.md 19.12`. The ids are in a subquery, which PostgreSQL hashes; a plan for an array of any length would
// compare each row with each id.
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
 * Lists expired unpaid orders, across all stores by design, except those in `postponed`. Returns at most `ofEach` of
 * the oldest orders of each store, so that a store with a hundred thousand of them does not block others.
 */
export async function listExpired(
  db: Db,
  limit: number,
  ofEach: number,
  postponed: readonly string[] = [],
): Promise<OrderKey[]> {
  const { rows } = await db.executeQuery(unpaid([limit, ofEach, postponed]));
  return rows;
}
