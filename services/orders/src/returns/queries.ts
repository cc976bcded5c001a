import { byTime, type PageQuery, parsePage, readList } from '@waybill/kernel';
import { type Insertable, type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import type { Tables } from '../tables.ts';
import type { ListQuery } from './routes.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

export type ReturnRow = Selectable<Tables['order_return']>;

const ofOrder = (db: Db, storeId: string, orderId: string) =>
  db.selectFrom('order_return').where('store_id', '=', storeId).where('order_id', '=', orderId);

/**
 * Returns a page of an order's returns, newest first, and their total number.
 * @throws invalid_cursor
 */
export function listReturns(db: Db, storeId: string, orderId: string, query: PageQuery) {
  const rows = ofOrder(db, storeId, orderId);
  return readList(rows.selectAll(), rows, parsePage('returns', [storeId, orderId], query, byTime('desc')));
}

/**
 * Returns a page of a store's returns, newest first, and their total number.
 * @throws invalid_cursor
 */
export function listStoreReturns(db: Db, storeId: string, query: ListQuery) {
  let rows = db.selectFrom('order_return').where('store_id', '=', storeId);
  if (query.state !== undefined) rows = rows.where('state', '=', query.state);
  const page = parsePage('returns', [storeId, query.state ?? null], query, byTime('desc'));
  return readList(rows.selectAll(), rows, page);
}

/** Lists the returns of an order that were not declined. */
export function listCountedReturns(db: Db, storeId: string, orderId: string): Promise<ReturnRow[]> {
  return ofOrder(db, storeId, orderId).selectAll().where('state', '<>', 'declined').execute();
}

/** Finds a return of an order. */
export function findReturn(
  db: Db,
  storeId: string,
  orderId: string,
  id: string,
): Promise<ReturnRow | undefined> {
  return ofOrder(db, storeId, orderId).selectAll().where('id', '=', id).executeTakeFirst();
}

/** Inserts a return and returns its row. */
export function insertReturn(
  trx: Trx,
  storeId: string,
  {
    lines,
    ...row
  }: Omit<Insertable<Tables['order_return']>, 'store_id' | 'lines'> & Pick<ReturnRow, 'lines'>,
): Promise<ReturnRow> {
  return trx
    .insertInto('order_return')
    .values({ store_id: storeId, ...row, lines: sql`${JSON.stringify(lines)}::json` })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Changes columns of a return and returns its row. */
export function updateReturn(
  trx: Trx,
  storeId: string,
  id: string,
  changes: Partial<Pick<ReturnRow, 'state' | 'note' | 'refund_id'>> &
    Pick<ReturnRow, 'notifies' | 'mailed_changes' | 'updated_at'>,
): Promise<ReturnRow> {
  return trx
    .updateTable('order_return')
    .set(changes)
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Finds the fields of an order that decide how much of it may be returned. */
export function findOrderLines(db: Db, storeId: string, orderId: string) {
  return db
    .selectFrom('order')
    .select(['id', 'status', 'line_items as lineItems', 'created_at as createdAt'])
    .where('store_id', '=', storeId)
    .where('id', '=', orderId)
    .executeTakeFirst();
}
