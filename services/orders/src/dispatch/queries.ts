import type { Order } from '@waybill/contracts';
import { byTime, changedAt, type PageQuery, parsePage, readList } from '@waybill/kernel';
import { type Insertable, type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';
import type { OrderWithUnits, UnitsByVariant } from './units.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

export type FulfillmentRow = Selectable<Tables['fulfillment']>;

const ofOrder = (db: Db, storeId: string, orderId: string) =>
  db.selectFrom('fulfillment').where('store_id', '=', storeId).where('order_id', '=', orderId);

/**
 * Returns a page of an order's fulfilments, newest first, and their total number.
 * @throws invalid_cursor
 */
export function listFulfillments(db: Db, storeId: string, orderId: string, query: PageQuery) {
  const rows = ofOrder(db, storeId, orderId);
  return readList(
    rows.selectAll(),
    rows,
    parsePage('fulfillments', [storeId, orderId], query, byTime('desc')),
  );
}

/** Lists all fulfilments of an order, oldest first. */
export function listAllFulfillments(db: Db, storeId: string, orderId: string): Promise<FulfillmentRow[]> {
  return ofOrder(db, storeId, orderId).selectAll().orderBy('created_at').orderBy('id').execute();
}

const maxFulfillments = 10_000;

/** Whether a locked order has the maximum number of fulfilments: `decisions.md 19.13`. */
export async function hasMaxFulfillments(trx: Trx, storeId: string, orderId: string): Promise<boolean> {
  const nth = await ofOrder(trx, storeId, orderId)
    .select('id')
    .orderBy('created_at')
    .orderBy('id')
    .offset(maxFulfillments - 1)
    .limit(1)
    .executeTakeFirst();
  return nth !== undefined;
}

/** Finds a fulfilment of an order. */
export function findFulfillment(
  db: Db,
  storeId: string,
  orderId: string,
  id: string,
): Promise<FulfillmentRow | undefined> {
  return ofOrder(db, storeId, orderId).selectAll().where('id', '=', id).executeTakeFirst();
}

/** Inserts a fulfilment and returns its row. */
export function insertFulfillment(
  trx: Trx,
  storeId: string,
  fulfillment: Omit<Insertable<Tables['fulfillment']>, 'store_id' | 'lines'> & Pick<FulfillmentRow, 'lines'>,
): Promise<FulfillmentRow> {
  return trx
    .insertInto('fulfillment')
    .values({ store_id: storeId, ...fulfillment, lines: sql`${JSON.stringify(fulfillment.lines)}::json` })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Changes columns of a fulfilment and returns its row. */
export function updateFulfillment(
  trx: Trx,
  storeId: string,
  id: string,
  changes: Partial<
    Pick<
      FulfillmentRow,
      | 'carrier'
      | 'tracking_number'
      | 'tracking_url'
      | 'status'
      | 'delivered_at'
      | 'notifies'
      | 'mailed_changes'
      | 'updated_at'
    >
  >,
): Promise<FulfillmentRow> {
  return trx
    .updateTable('fulfillment')
    .set({ updated_at: changedAt(new Date()), ...changes })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * Lists the next orders that were sent before fulfilments existed, across all stores by design; null starts at the
 * first one.
 */
export function listWithoutFulfillments(
  db: Db,
  after: { storeId: string; orderId: string } | null,
  limit: number,
): Promise<{ storeId: string; orderId: string }[]> {
  return db
    .selectFrom('order')
    .select(['store_id as storeId', 'id as orderId'])
    .where(sql<boolean>`(store_id, id) > (${after?.storeId ?? ''}, ${after?.orderId ?? ''})`)
    .where('fulfillment', '=', 'fulfilled')
    .where('units', 'is', null)
    .orderBy('store_id')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Returns the bought units of an order and their counts by use, or null if the store has no such order. */
export async function findOrderUnits(
  db: Db,
  storeId: string,
  id: string,
): Promise<(OrderWithUnits & Pick<Order, 'fulfillment'>) | null> {
  const row = await db
    .selectFrom('order')
    .select(['fulfillment', 'line_items as lineItems', 'units'])
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row ? { ...row, units: row.units ?? {} } : null;
}

/** Stores the counts of a locked order's units. */
export async function updateUnits(
  trx: Trx,
  storeId: string,
  id: string,
  units: UnitsByVariant,
): Promise<void> {
  await trx
    .updateTable('order')
    .set({ units: sql`${JSON.stringify(units)}::json` })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .execute();
}
