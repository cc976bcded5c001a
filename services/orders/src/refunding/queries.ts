import { byTime, changedAt, type PageQuery, parsePage, readList } from '@waybill/kernel';
import { type Insertable, type Kysely, type Selectable, sql, type Transaction } from 'kysely';
import { oldestValidKeyTime } from '../ledger/step-queries.ts';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

export type RefundRow = Selectable<Tables['refund']>;

/** Returns the amount of a refund that has been paid back. */
export const returnedCents = ({ parts }: Pick<RefundRow, 'parts'>): number =>
  parts.reduce((sum, { state, amountCents }) => sum + (state === 'done' ? amountCents : 0), 0);

const ofOrder = (db: Db, storeId: string, orderId: string) =>
  db.selectFrom('refund').where('store_id', '=', storeId).where('order_id', '=', orderId);

/**
 * Returns a page of an order's refunds, newest first, and their total number.
 * @throws invalid_cursor
 */
export function listRefunds(db: Db, storeId: string, orderId: string, query: PageQuery) {
  const rows = ofOrder(db, storeId, orderId);
  return readList(rows.selectAll(), rows, parsePage('refunds', [storeId, orderId], query, byTime('desc')));
}

/** Lists the refunds of an order that did not fail, oldest first. */
export function listCountedRefunds(db: Db, storeId: string, orderId: string): Promise<RefundRow[]> {
  return ofOrder(db, storeId, orderId)
    .selectAll()
    .where('state', '<>', 'failed')
    .orderBy('created_at')
    .orderBy('id')
    .execute();
}

/** Finds a refund of an order. */
export function findRefund(
  db: Db,
  storeId: string,
  orderId: string,
  id: string,
): Promise<RefundRow | undefined> {
  return ofOrder(db, storeId, orderId).selectAll().where('id', '=', id).executeTakeFirst();
}

/** Inserts a refund and returns its row. */
export async function insertRefund(
  trx: Trx,
  storeId: string,
  refund: Omit<Insertable<Tables['refund']>, 'store_id' | 'lines' | 'parts'> &
    Pick<RefundRow, 'lines' | 'parts'>,
): Promise<RefundRow> {
  if (refund.request_key) {
    // An expired key is released for another request.
    await trx
      .updateTable('refund')
      .set({ request_key: null })
      .where('store_id', '=', storeId)
      .where('request_key', '=', refund.request_key)
      .where('created_at', '<=', oldestValidKeyTime())
      .execute();
  }
  return trx
    .insertInto('refund')
    .values({
      store_id: storeId,
      ...refund,
      lines: sql`${JSON.stringify(refund.lines)}::json`,
      parts: sql`${JSON.stringify(refund.parts)}::json`,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Finds the refund that a request with this key has made. */
export function findRefundOfRequest(
  db: Db,
  storeId: string,
  requestKey: string,
): Promise<RefundRow | undefined> {
  return db
    .selectFrom('refund')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('request_key', '=', requestKey)
    .where('created_at', '>', oldestValidKeyTime())
    .executeTakeFirst();
}

/** Finds a refund by its id alone. */
export function findRefundById(db: Db, storeId: string, id: string): Promise<RefundRow | undefined> {
  return db
    .selectFrom('refund')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Stores the results of a refund's parts, and the resulting totals. */
export function updateRefund(
  trx: Trx,
  storeId: string,
  id: string,
  { parts, ...changes }: Pick<RefundRow, 'state' | 'parts' | 'amount_cents' | 'tax_cents'>,
): Promise<RefundRow> {
  return trx
    .updateTable('refund')
    .set({ ...changes, parts: sql`${JSON.stringify(parts)}::json`, updated_at: changedAt(new Date()) })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * Returns the refunded amount in an order's ledger, and the amount that its refunds cover; null if the order does not
 * exist.
 */
export async function findRefundedSums(
  db: Db,
  storeId: string,
  orderId: string,
): Promise<{ refundedCents: number | null; coveredCents: number } | null> {
  const order = await db
    .selectFrom('order')
    .select('refunded_cents as refundedCents')
    .where('store_id', '=', storeId)
    .where('id', '=', orderId)
    .executeTakeFirst();
  if (!order) return null;
  const refunds = await ofOrder(db, storeId, orderId)
    .select('parts')
    .where('state', '<>', 'failed')
    .execute();
  return { ...order, coveredCents: refunds.reduce((sum, row) => sum + returnedCents(row), 0) };
}
