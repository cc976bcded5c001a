import {
  type Columns,
  changedAt,
  claimByStore,
  compileUnprepared,
  ofStore,
  type Placeholders,
} from '@waybill/kernel';
import { type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { eraseUses } from '../discounts/uses.ts';
import { listPaymentsOfOrders } from '../ledger/queries.ts';
import { orderJson } from '../orders/queries.ts';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;
export type Trx = Transaction<Tables>;

/** Erased orders, and the number of the last one; 0: none. */
export interface Step {
  orderIds: string[];
  reached: number;
}

/**
 * SQL condition: the order contains personal data. Every order is placed with an e-mail address, and the searched text
 * always contains at least a number.
 */
const hasCustomerData = sql`customer_email <> ''`;

/** Erases the personal data of a customer's next orders after number `after`, up to `limit`. */
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
      where store_id = ${storeId} and customer_id = ${customerId} and number > ${after} and ${hasCustomerData}
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

/** Erases the tracking data of orders, which leads to the receiver. */
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

/** Erases the reasons of refunds and returns of orders, which people have written. */
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
        order by ordinal)
      from json_array_elements(lines) with ordinality as item (line, ordinal)
    )
    where store_id = ${storeId} and order_id = any(${[...orderIds]}::text[])`.execute(trx);
}

/** Deletes the notes on orders, which may contain anything. */
async function eraseNotes(trx: Trx, storeId: string, orderIds: readonly string[]): Promise<void> {
  if (orderIds.length === 0) return;
  await trx
    .deleteFrom('order_note')
    .where('store_id', '=', storeId)
    .where('order_id', 'in', [...orderIds])
    .execute();
}

/**
 * Erases the references of money that was recorded by hand, because they may name the sender. A provider's own ids
 * stay, so that its reports keep counting once.
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

/** Lists the addresses of a customer and its orders in lower case, at most the thousand newest. */
export async function listEmails(db: Db, storeId: string, customerId: string): Promise<string[]> {
  const { rows } = await sql<{ email: string }>`
    select lower(email) as email from customer where store_id = ${storeId} and id = ${customerId} and email <> ''
    union
    select lower(customer_email) from (
      select customer_email from "order"
      where store_id = ${storeId} and customer_id = ${customerId} and ${hasCustomerData}
      order by number desc limit 1000
    ) o
    limit 1000`.execute(db);
  return rows.map(({ email }) => email);
}

/** Whether a customer has orders with personal data after number `after`. */
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
    .where(sql<boolean>`${hasCustomerData}`)
    .limit(1)
    .executeTakeFirst();
  return order !== undefined;
}

/** A store and the ids of the things in its events. */
interface SubjectIds {
  storeId: string;
  ids: readonly string[];
}

/** SQL of the kind of thing that an event in the outbox is about, which is also its key in the data. */
const kind = `split_part(name, '.', 2)`;

const eventsAbout = ($: Placeholders<SubjectIds>, which: string) =>
  `select id, created_at from outbox
   where published_at is null and ${which} and store_id = ${$.storeId} and name like 'orders.%'
     and (data::json -> ${kind} ->> 'id' = any(${$.ids}::text[])
       or data::json -> ${kind} ->> 'orderId' = any(${$.ids}::text[]))
   for update skip locked`;

// Uses the same conditions as the outbox's indexes. Otherwise each step would read all events that were published in
// the last half hour, while it holds locks that others wait for.
export const redactUnpublishedEvents = compileUnprepared<unknown, SubjectIds>(
  ($) => `with waiting as materialized (
     select * from (${eventsAbout($, 'dead_at is null')}) alive
     union all
     select * from (${eventsAbout($, 'dead_at is not null')}) dead
   )
   update outbox set data = '{"' || ${kind} || '":{"id":' || (data::json -> ${kind} -> 'id')::text || '}}'
   where store_id = ${$.storeId} and id = any(array(select id from waiting))
     and created_at between (select min(created_at) from waiting) and (select max(created_at) from waiting)`,
);

/**
 * Reduces events about the given customers and orders to ids, if no bus has received them yet, including set-aside
 * events (`dead_at`). Events that are being published at this moment are redacted by their receivers.
 */
export async function redactUnpublished(trx: Trx, storeId: string, ids: readonly string[]): Promise<void> {
  await trx.executeQuery(redactUnpublishedEvents({ storeId, ids }));
}

/** Records that a customer has more orders to erase after that number. */
export async function insertErasure(
  trx: Trx,
  storeId: string,
  customerId: string,
  reached: number,
): Promise<void> {
  await trx
    .insertInto('customer_erasure')
    .values({ store_id: storeId, customer_id: customerId, reached })
    // A repeated request does not restart the erasure.
    .onConflict((conflict) => conflict.columns(['store_id', 'customer_id']).doNothing())
    .execute();
}

/** An erasure that continues after the order with number `reached`. */
export type Erasure = Columns<
  Tables['customer_erasure'],
  { storeId: 'store_id'; customerId: 'customer_id'; reached: 'reached' }
>;

/** Finds the erasure that has waited longest, across all stores, and locks it until the transaction ends. */
export async function claimErasure(trx: Trx): Promise<Erasure | null> {
  const [erasure] = await claimByStore<Erasure>(trx, {
    limit: 1,
    stores: () => sql`select store_id as "storeId" from customer_erasure order by looked_at limit 20`,
    claim: (storeId) =>
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

/** Stores how far the orders of an erased customer are erased. */
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

/** Moves an erasure behind the others. */
export async function deferErasure(db: Db, storeId: string, customerId: string): Promise<void> {
  await db
    .updateTable('customer_erasure')
    .set({ looked_at: new Date() })
    .where('store_id', '=', storeId)
    .where('customer_id', '=', customerId)
    .execute();
}

/** Deletes the record of an erasure that has ended. */
export async function deleteErasure(trx: Trx, storeId: string, customerId: string): Promise<void> {
  await trx
    .deleteFrom('customer_erasure')
    .where('store_id', '=', storeId)
    .where('customer_id', '=', customerId)
    .execute();
}

/**
 * Returns the orders of a customer after number `after`, oldest first, as JSON with commas in between; `last` is null
 * at the end.
 */
export async function listCustomerOrders(
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

/** Returns the ids of a customer's orders after number `after`, oldest first; `last` is null at the end. */
export async function listCustomerOrderIds(
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

/** Maximum number of orders that an export names to other services. */
const maxNamedOrders = 10_000;

/** Returns the ids of a customer's newest orders. */
export async function listNewestOrderIds(db: Db, storeId: string, customerId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('order')
    .select('id')
    .where('store_id', '=', storeId)
    .where('customer_id', '=', customerId)
    .orderBy('number', 'desc')
    .limit(maxNamedOrders)
    .execute();
  return rows.map(({ id }) => id);
}

/** Creates a function that lists the rows of a table that belong to orders, oldest first. */
const listFrom =
  <Table extends 'fulfillment' | 'refund' | 'order_return' | 'order_note' | 'document'>(table: Table) =>
  async (db: Db, storeId: string, orderIds: readonly string[]): Promise<Selectable<Tables[Table]>[]> => {
    const { rows } = await sql<Selectable<Tables[Table]>>`
      select * from ${sql.table(table)} where store_id = ${storeId} and order_id = any(${[...orderIds]}::text[])
      order by created_at, id`.execute(db);
    return rows;
  };

/** The data that belongs to orders, by name in an export. */
export const listOfOrders = {
  payments: listPaymentsOfOrders,
  fulfillments: listFrom('fulfillment'),
  refunds: listFrom('refund'),
  returns: listFrom('order_return'),
  orderNotes: listFrom('order_note'),
  documents: listFrom('document'),
};
