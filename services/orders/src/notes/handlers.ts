import { managesStore, newId } from '@waybill/contracts';
import { findUserNames, type Handlers } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import {
  deleteNoteRow,
  findNoteForUpdate,
  hasOrder,
  insertNote,
  listNotes,
  type NoteRow,
} from './queries.ts';
import type { OrderNote, routes } from './routes.ts';

const toNote = (
  { id, text, user_id: userId, created_at: createdAt }: NoteRow,
  names: ReadonlyMap<string, string>,
): OrderNote => ({
  id,
  text,
  userId,
  userName: names.get(userId) ?? null,
  createdAt: createdAt.toISOString(),
});

export const handlers = ({ db, peers }: Context): Handlers<typeof routes, Tables> => ({
  async listOrderNotes({ storeId, params, query }) {
    if (!(await hasOrder(db, storeId, params.orderId))) throw errors.not_found();
    const { rows, ...list } = await listNotes(db, storeId, params.orderId, query);
    const names = await findUserNames(
      peers,
      rows.map(({ user_id }) => user_id),
    );
    return { notes: rows.map((row) => toNote(row, names)), ...list };
  },
  async createOrderNote({ principal, storeId, params, body, idempotentWrite }) {
    await idempotentWrite.begin(body);
    const names = await findUserNames(peers, [principal.userId]);
    return idempotentWrite.commit(async ({ trx }) => {
      const row = await insertNote(trx, {
        store_id: storeId,
        order_id: params.orderId,
        id: newId('note'),
        text: body.text,
        user_id: principal.userId,
        created_at: new Date(),
      });
      if (!row) throw errors.not_found();
      return { note: toNote(row, names) };
    });
  },
  deleteOrderNote: {
    async write({ principal, storeId, params }, { trx, audit }) {
      const note = await findNoteForUpdate(trx, storeId, params.orderId, params.noteId);
      if (!note) throw errors.not_found();
      const isOwn = note.user_id === principal.userId;
      if (!isOwn && !(principal.role && managesStore(principal.role))) {
        throw errors.insufficient_role({
          message: 'Only its author or an admin of the store can delete a note.',
        });
      }
      await deleteNoteRow(trx, note);
      await audit(storeId, 'note.deleted', { id: note.id });
    },
  },
});
