import { byTime, changedAt, type PageQuery, parseInstant, parsePage, readList } from '@waybill/kernel';
import {
  type Insertable,
  type Kysely,
  type Selectable,
  sql,
  type Transaction,
  type Updateable,
} from 'kysely';
import type { Tables } from '../tables.ts';
import type { OrderMoney } from './ledger.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

/** A payment as it is stored. */
export type PaymentRow = Selectable<Tables['payment']>;
/** An entry of the ledger as it is stored. */
export type EntryRow = Selectable<Tables['payment_entry']>;

/** A payment with its entries. */
export interface PaymentWithEntries extends PaymentRow {
  entries: EntryRow[];
}

const selectPayments = (db: Db, storeId: string) => db.selectFrom('payment').where('store_id', '=', storeId);

async function withEntries(db: Db, storeId: string, rows: PaymentRow[]): Promise<PaymentWithEntries[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const entries = await db
    .selectFrom('payment_entry')
    .selectAll()
    .where('store_id', '=', storeId)
    .where(sql<boolean>`payment_id = any(${ids})`)
    .orderBy('id')
    .execute();
  return rows.map((row) => ({ ...row, entries: entries.filter((entry) => entry.payment_id === row.id) }));
}

/** Lists all payments of an order, oldest first. An order has few. */
export async function listOrderPayments(
  db: Db,
  storeId: string,
  orderId: string,
): Promise<PaymentWithEntries[]> {
  const rows = await selectPayments(db, storeId)
    .selectAll()
    .where('order_id', '=', orderId)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return withEntries(db, storeId, rows);
}

/** Lists all payments of several orders, oldest first. */
export async function listPaymentsOfOrders(
  db: Db,
  storeId: string,
  orderIds: readonly string[],
): Promise<PaymentWithEntries[]> {
  const rows = await selectPayments(db, storeId)
    .selectAll()
    .where('order_id', 'in', [...orderIds])
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return withEntries(db, storeId, rows);
}

/** The payments that a list shows: those that were created from `since` until before `until`, RFC 3339. */
export interface PaymentFilter extends PageQuery {
  since?: string | undefined;
  until?: string | undefined;
  status?: PaymentRow['status'] | undefined;
  orderId?: string | undefined;
}

/**
 * Returns a page of a store's payments, newest first, and their total number.
 * @throws invalid_cursor
 */
export async function listPayments(db: Db, storeId: string, query: PaymentFilter) {
  const [since, until] = [parseInstant(query.since ?? ''), parseInstant(query.until ?? '')];
  let rows = selectPayments(db, storeId);
  if (since !== null) rows = rows.where('created_at', '>=', since);
  if (until !== null) rows = rows.where('created_at', '<', until);
  if (query.status) rows = rows.where('status', '=', query.status);
  if (query.orderId) rows = rows.where('order_id', '=', query.orderId);
  const scope = [
    storeId,
    query.since ?? null,
    query.until ?? null,
    query.status ?? null,
    query.orderId ?? null,
  ];
  const page = await readList(rows.selectAll(), rows, parsePage('payments', scope, query, byTime('desc')));
  return { ...page, rows: await withEntries(db, storeId, page.rows) };
}

/** Finds a payment by its id, with its entries. */
export async function findPayment(
  db: Db,
  storeId: string,
  id: string,
): Promise<PaymentWithEntries | undefined> {
  const rows = await selectPayments(db, storeId).selectAll().where('id', '=', id).execute();
  return (await withEntries(db, storeId, rows))[0];
}

/** Whether a payment has an entry of this kind with this reference of the provider. */
export async function hasEntry(
  db: Db,
  storeId: string,
  { paymentId, kind, reference }: { paymentId: string; kind: string; reference: string },
): Promise<boolean> {
  const found = await db
    .selectFrom('payment_entry')
    .select('id')
    .where('store_id', '=', storeId)
    .where('payment_id', '=', paymentId)
    .where(sql<boolean>`kind = ${kind}`)
    .where('reference', '=', reference)
    .executeTakeFirst();
  return found !== undefined;
}

/** Inserts a payment and returns its row. */
export function insertPayment(
  trx: Trx,
  storeId: string,
  payment: Omit<Insertable<Tables['payment']>, 'store_id'>,
): Promise<PaymentRow> {
  return trx
    .insertInto('payment')
    .values({ store_id: storeId, ...payment })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Inserts an entry of a payment and returns its row. */
export function insertEntry(
  trx: Trx,
  storeId: string,
  entry: Omit<Insertable<Tables['payment_entry']>, 'store_id'>,
): Promise<EntryRow> {
  return trx
    .insertInto('payment_entry')
    .values({ store_id: storeId, ...entry })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Stores the totals of a payment's entries. */
export async function updatePayment(
  trx: Trx,
  storeId: string,
  id: string,
  derived: Pick<PaymentRow, 'status' | 'captured_cents' | 'refunded_cents'>,
): Promise<Pick<PaymentRow, 'updated_at'>> {
  return trx
    .updateTable('payment')
    .set({ ...derived, updated_at: changedAt(new Date()) })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .returning('updated_at')
    .executeTakeFirstOrThrow();
}

/** Changes the properties of a payment that do not derive from its entries. */
export function changePayment(
  trx: Trx,
  storeId: string,
  id: string,
  change: Partial<Pick<PaymentRow, 'is_under_way' | 'method' | 'failure' | 'reference'>>,
): Promise<PaymentRow> {
  return trx
    .updateTable('payment')
    .set({ ...(change as Updateable<Tables['payment']>), updated_at: changedAt(new Date()) })
    .where('store_id', '=', storeId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Stores the totals of an order that is older than the ledger, without changing its state. */
export async function updateOrderSums(
  trx: Trx,
  storeId: string,
  orderId: string,
  { paidCents, refundedCents }: Pick<OrderMoney, 'paidCents' | 'refundedCents'>,
): Promise<void> {
  await trx
    .updateTable('order')
    .set({ paid_cents: paidCents, refunded_cents: refundedCents })
    .where('store_id', '=', storeId)
    .where('id', '=', orderId)
    .execute();
}

/** Whether an order is older than the ledger; null: the order does not exist. */
export async function isOlderThanLedger(db: Db, storeId: string, orderId: string): Promise<boolean | null> {
  const row = await db
    .selectFrom('order')
    .select('paid_cents')
    .where('store_id', '=', storeId)
    .where('id', '=', orderId)
    .executeTakeFirst();
  return row ? row.paid_cents === null : null;
}

/** An order and its store. */
export interface OrderKey {
  storeId: string;
  orderId: string;
}

/**
 * Lists the next orders with payments before the given one, newest first, across all stores by design; null starts at
 * the newest one.
 */
export async function listOrdersWithPayments(
  db: Db,
  before: OrderKey | null,
  limit: number,
): Promise<OrderKey[]> {
  return db
    .selectFrom('payment')
    .distinct()
    .select(['store_id as storeId', 'order_id as orderId'])
    .$if(before !== null, (all) =>
      all.where(sql<boolean>`(store_id, order_id) < (${before!.storeId}, ${before!.orderId})`),
    )
    .orderBy('store_id', 'desc')
    .orderBy('order_id', 'desc')
    .limit(limit)
    .execute();
}

/** Lists the next orders that are older than the ledger, across all stores by design; null starts at the first one. */
export async function listWithoutLedger(db: Db, after: OrderKey | null, limit: number): Promise<OrderKey[]> {
  return db
    .selectFrom('order')
    .select(['store_id as storeId', 'id as orderId'])
    .where(sql<boolean>`(store_id, id) > (${after?.storeId ?? ''}, ${after?.orderId ?? ''})`)
    .where('paid_cents', 'is', null)
    .orderBy('store_id')
    .orderBy('id')
    .limit(limit)
    .execute();
}
