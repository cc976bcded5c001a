import { type Columns, changedAt, ofStore, type Placeholders, planned, takeByStore } from '@waybill/kernel';
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { eraseUses } from '../discounts/uses.ts';
import { listPaymentsOfOrders } from '../ledger/queries.ts';
import { orderJson } from '../orders/queries.ts';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;
export type Trx = Transaction<Tables>;

/** Orders that were erased, and the number of the last; 0: none was. */
export interface Step {
  orderIds: string[];
  reached: number;
}

/**
 * Of an order that tells of a person. Every order is placed with an e-mail address, and none is without a number in what
 * is searched.
 */
const tellsOfSomebody = sql`customer_email <> ''`;

/** Takes all that tells of a person out of the next orders of a customer after number `after`, up to `limit`. */
export async function eraseOrders(
  trx: Trx,
  storeId: string,
  customerId: string,
  after: number,
  limit: number,
): Promise<Step> {
  const { rows } = await sql<{ id: string; number: number }>`
    with step as (
      select id from "order"
      where store_id = ${storeId} and customer_id = ${customerId} and number > ${after} and ${tellsOfSomebody}
      order by number limit ${limit} for update
    )
    update "order" set customer_name = '', customer_email = '', customer_phone = null, shipping_address = null, vat_id = null,
      custom_fields = '{}',
      search = number::text, updated_at = ${changedAt(new Date())}
    where store_id = ${storeId} and id in (select id from step)
    returning id, number`.execute(trx);
  const orderIds = rows.map(({ id }) => id);
  await eraseUses(trx, storeId, orderIds);
  await eraseTracking(trx, storeId, orderIds);
  await eraseNotes(trx, storeId, orderIds);
  await eraseReasons(trx, storeId, orderIds);
  await eraseReferences(trx, storeId, orderIds);
  return {
    orderIds,
    reached: Math.max(after, ...rows.map(({ number }) => number)),
  };
}

/** Takes what leads to the receiver out of what was sent of these orders. */
async function eraseTracking(trx: Trx, storeId: string, orderIds: readonly string[]): Promise<void> {
  if (orderIds.length === 0) return;
  await trx
    .updateTable('fulfillment')
    .set({ tracking_number: null, tracking_url: null, updated_at: changedAt(new Date()) })
    .where('store_id', '=', storeId)
    .where('order_id', 'in', [...orderIds])
    .where((where) =>
      where.or([where('tracking_number', 'is not', null), where('tracking_url', 'is not', null)]),
    )
    .execute();
}

/** Takes the words that people have said of refunds and returns of these orders. */
async function eraseReasons(trx: Trx, storeId: string, orderIds: readonly string[]): Promise<void> {
  if (orderIds.length === 0) return;
  const now = changedAt(new Date());
  await trx
    .updateTable('refund')
    .set({ reason: null, updated_at: now })
    .where('store_id', '=', storeId)
    .where('order_id', 'in', [...orderIds])
    .where('reason', 'is not', null)
    .execute();
  await sql`
    update order_return set note = null, updated_at = ${now}, lines = (
      select json_agg(json_build_object('variantId', line ->> 'variantId', 'quantity', line -> 'quantity', 'reason', null)
        order by place)
      from json_array_elements(lines) with ordinality as item (line, place)
    )
    where store_id = ${storeId} and order_id = any(${[...orderIds]}::text[])`.execute(trx);
}

/** What members have noted on these orders may tell of anything. */
async function eraseNotes(trx: Trx, storeId: string, orderIds: readonly string[]): Promise<void> {
  if (orderIds.length === 0) return;
  await trx
    .deleteFrom('order_note')
    .where('store_id', '=', storeId)
    .where('order_id', 'in', [...orderIds])
    .execute();
}

/**
 * What money that was recorded by hand is called elsewhere may name who has sent it. A provider's own ids stay: by them what
 * it reports counts once.
 */
async function eraseReferences(trx: Trx, storeId: string, orderIds: readonly string[]): Promise<void> {
  if (orderIds.length === 0) return;
  const byHand = await trx
    .selectFrom('payment')
    .select('id')
    .where('store_id', '=', storeId)
    .where('order_id', 'in', [...orderIds])
    .where('provider', '=', 'manual')
    .execute();
  if (byHand.length === 0) return;
  const ids = byHand.map(({ id }) => id);
  await trx
    .updateTable('payment')
    .set({ reference: null, updated_at: changedAt(new Date()) })
    .where('store_id', '=', storeId)
    .where('id', 'in', ids)
    .where('reference', 'is not', null)
    .execute();
  await trx
    .updateTable('payment_entry')
    .set({ reference: null })
    .where('store_id', '=', storeId)
    .where('payment_id', 'in', ids)
    .where('reference', 'is not', null)
    .execute();
}

/** The addresses that a customer has, and has ordered with, in lower case; the thousand newest at most. */
export async function listEmails(db: Db, storeId: string, customerId: string): Promise<string[]> {
  const { rows } = await sql<{ email: string }>`
    select lower(email) as email from customer where store_id = ${storeId} and id = ${customerId} and email <> ''
    union
    select lower(customer_email) from (
      select customer_email from "order"
      where store_id = ${storeId} and customer_id = ${customerId} and ${tellsOfSomebody}
      order by number desc limit 1000
    ) o
    limit 1000`.execute(db);
  return rows.map(({ email }) => email);
}

/** Whether an order of a customer after number `after` tells of a person. */
export async function hasOrdersToErase(
  trx: Trx,
  storeId: string,
  customerId: string,
  after: number,
): Promise<boolean> {
  const order = await trx
    .selectFrom('order')
    .select('id')
    .where('store_id', '=', storeId)
    .where('customer_id', '=', customerId)
    .where('number', '>', after)
    .where(sql<boolean>`${tellsOfSomebody}`)
    .limit(1)
    .executeTakeFirst();
  return order !== undefined;
}

/** Events by the ids of the things that they tell of, of one store. */
interface OfThings {
  storeId: string;
  ids: readonly string[];
}

/** Of a row of the outbox: what its data calls the thing that it tells of. */
const kind = `split_part(name, '.', 2)`;

const toldOf = ($: Placeholders<OfThings>, which: string) =>
  `select id, created_at from outbox
   where published_at is null and ${which} and store_id = ${$.storeId} and name like 'orders.%'
     and (data::json -> ${kind} ->> 'id' = any(${$.ids}::text[])
       or data::json -> ${kind} ->> 'orderId' = any(${$.ids}::text[]))
   for update skip locked`;

// In the words of the outbox's indexes: what a broker has had is half an hour of all that the service told, and to read
// over that would take as long for each step, while it holds what others wait for.
export const reduce = planned<unknown, OfThings>(
  ($) => `with waiting as materialized (
     select * from (${toldOf($, 'dead_at is null')}) alive
     union all
     select * from (${toldOf($, 'dead_at is not null')}) dead
   )
   update outbox set data = '{"' || ${kind} || '":{"id":' || (data::json -> ${kind} -> 'id')::text || '}}'
   where store_id = ${$.storeId} and id = any(array(select id from waiting))
     and created_at between (select min(created_at) from waiting) and (select max(created_at) from waiting)`,
);

/**
 * Leaves the ids alone in events of these customers and orders that no bus has had yet, those that were put aside
 * (`dead_at`) among them. What is being handed over at this moment is redacted where it arrives.
 */
export async function reduceUnpublished(trx: Trx, storeId: string, ids: readonly string[]): Promise<void> {
  await trx.executeQuery(reduce({ storeId, ids }));
}

/** Notes that a customer has more orders to erase, after that number. */
export async function insertErasure(
  trx: Trx,
  storeId: string,
  customerId: string,
  reached: number,
): Promise<void> {
  await trx
    .insertInto('customer_erasure')
    .values({ store_id: storeId, customer_id: customerId, reached })
    // Asked for again, it begins no later.
    .onConflict((conflict) => conflict.columns(['store_id', 'customer_id']).doNothing())
    .execute();
}

/** An erasure that is to go on after the order of number `reached`. */
export type Erasure = Columns<
  Tables['customer_erasure'],
  { storeId: 'store_id'; customerId: 'customer_id'; reached: 'reached' }
>;

/** The erasure that has waited longest, of all stores; locked until the transaction ends. */
export async function takeErasure(trx: Trx): Promise<Erasure | null> {
  const [erasure] = await takeByStore<Erasure>(trx, {
    limit: 1,
    stores: () => sql`select store_id as "storeId" from customer_erasure order by looked_at limit 20`,
    take: (storeId) =>
      trx
        .selectFrom('customer_erasure')
        .select(['store_id as storeId', 'customer_id as customerId', 'reached'])
        .where(ofStore(storeId))
        .orderBy('looked_at')
        .limit(1)
        .forUpdate()
        .skipLocked()
        .execute(),
  });
  return erasure ?? null;
}

export async function moveErasure(
  trx: Trx,
  storeId: string,
  customerId: string,
  reached: number,
): Promise<void> {
  await trx
    .updateTable('customer_erasure')
    .set({ reached, looked_at: new Date() })
    .where('store_id', '=', storeId)
    .where('customer_id', '=', customerId)
    .execute();
}

/** Lets the others go before it. */
export async function putOffErasure(db: Db, storeId: string, customerId: string): Promise<void> {
  await db
    .updateTable('customer_erasure')
    .set({ looked_at: new Date() })
    .where('store_id', '=', storeId)
    .where('customer_id', '=', customerId)
    .execute();
}

export async function deleteErasure(trx: Trx, storeId: string, customerId: string): Promise<void> {
  await trx
    .deleteFrom('customer_erasure')
    .where('store_id', '=', storeId)
    .where('customer_id', '=', customerId)
    .execute();
}

/** The orders of a customer after number `after`, oldest first, as JSON with commas between; `last` is null at the end. */
export async function listOrdersOf(
  db: Db,
  storeId: string,
  customerId: string,
  after: number,
  limit: number,
): Promise<{ items: string; last: number | null }> {
  const { rows } = await sql<{ items: string; last: number | null }>`
    select coalesce(string_agg(item, ',' order by number), '') as items,
      case when count(*) = ${limit} then max(number) end as last
    from (
      select o.number, ${sql.raw(orderJson)} as item from "order" o
      where o.store_id = ${storeId} and o.customer_id = ${customerId} and o.number > ${after}
      order by o.number limit ${limit}
    ) page`.execute(db);
  return rows[0]!;
}

/** The ids of a customer's orders after number `after`, oldest first; `last` is null at the end. */
export async function listOrderIdsOf(
  db: Db,
  storeId: string,
  customerId: string,
  after: number,
  limit: number,
): Promise<{ ids: string[]; last: number | null }> {
  const rows = await db
    .selectFrom('order')
    .select(['id', 'number'])
    .where('store_id', '=', storeId)
    .where('customer_id', '=', customerId)
    .where('number', '>', after)
    .orderBy('number')
    .limit(limit)
    .execute();
  return { ids: rows.map(({ id }) => id), last: rows.length === limit ? rows.at(-1)!.number : null };
}

/** Lists what a table of its own keeps of orders, in the order in which it came. */
const listFrom =
  <Table extends 'fulfillment' | 'refund' | 'order_return' | 'order_note' | 'document'>(table: Table) =>
  async (db: Db, storeId: string, orderIds: readonly string[]): Promise<Selectable<Tables[Table]>[]> => {
    const { rows } = await sql<Selectable<Tables[Table]>>`
      select * from ${sql.table(table)} where store_id = ${storeId} and order_id = any(${[...orderIds]}::text[])
      order by created_at, id`.execute(db);
    return rows;
  };

/** What is kept of these orders beside them, by what it is called in an export. */
export const listOfOrders = {
  payments: listPaymentsOfOrders,
  fulfillments: listFrom('fulfillment'),
  refunds: listFrom('refund'),
  returns: listFrom('order_return'),
  orderNotes: listFrom('order_note'),
  documents: listFrom('document'),
};
