import { byTime, type PageQuery, parsePage, readList } from '@waybill/kernel';
import type { Insertable, Kysely, Selectable, Transaction } from 'kysely';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

export type NoteRow = Selectable<Tables['order_note']>;

/**
 * Returns a page of the notes on an order, newest first, and their total number.
 * @throws invalid_cursor
 */
export function listNotes(db: Db, storeId: string, orderId: string, query: PageQuery) {
  const rows = db.selectFrom('order_note').where('store_id', '=', storeId).where('order_id', '=', orderId);
  return readList(
    rows.selectAll(),
    rows,
    parsePage('order-notes', [storeId, orderId], query, byTime('desc')),
  );
}

const maxNotes = 10_000;

/** Whether an order has the maximum number of notes: `decisions.md 19.13`. */
async function hasMost(trx: Trx, storeId: string, orderId: string): Promise<boolean> {
  const nth = await trx
    .selectFrom('order_note')
    .select('id')
    .where('store_id', '=', storeId)
    .where('order_id', '=', orderId)
    .orderBy('created_at')
    .orderBy('id')
    .offset(maxNotes - 1)
    .limit(1)
    .executeTakeFirst();
  return nth !== undefined;
}

/**
 * Inserts a note on an order of the store. Returns undefined if the store has no such order.
 * @throws too_many_notes
 */
export async function insertNote(
  trx: Trx,
  note: Insertable<Tables['order_note']>,
): Promise<NoteRow | undefined> {
  // The lock keeps an erasure, which deletes notes, from running at the same time. It also lets notes be added only one
  // at a time, so that the limit holds.
  const order = await trx
    .selectFrom('order')
    .select('id')
    .where('store_id', '=', note.store_id)
    .where('id', '=', note.order_id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!order) return undefined;
  if (await hasMost(trx, note.store_id, note.order_id)) throw errors.too_many_notes();
  return trx.insertInto('order_note').values(note).returningAll().executeTakeFirstOrThrow();
}

/** Finds a note of an order, and locks it until the transaction ends. */
export async function findNoteForUpdate(
  trx: Trx,
  storeId: string,
  orderId: string,
  id: string,
): Promise<NoteRow | undefined> {
  return trx
    .selectFrom('order_note')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('order_id', '=', orderId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

/** Deletes a note. */
export async function deleteNoteRow(trx: Trx, { store_id, order_id, id }: NoteRow): Promise<void> {
  await trx
    .deleteFrom('order_note')
    .where('store_id', '=', store_id)
    .where('order_id', '=', order_id)
    .where('id', '=', id)
    .execute();
}

/** Whether the store has that order. */
export async function hasOrder(db: Db, storeId: string, orderId: string): Promise<boolean> {
  const order = await db
    .selectFrom('order')
    .select('id')
    .where('store_id', '=', storeId)
    .where('id', '=', orderId)
    .executeTakeFirst();
  return order !== undefined;
}
