import { idPattern, Timestamp } from '@waybill/contracts';
import { defineRoutes, nullable, pageSchema, paging } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';

export const OrderNote = Type.Object(
  {
    id: Type.String({ pattern: idPattern('note') }),
    text: Type.String({ examples: ['Call before delivery.'] }),
    userId: Type.String({ pattern: idPattern('user') }),
    userName: nullable(
      Type.String({ description: 'Null if the user no longer exists.', examples: ['Ada Lovelace'] }),
    ),
    createdAt: Timestamp,
  },
  { $id: 'OrderNote' },
);
export type OrderNote = Static<typeof OrderNote>;

const NoteInput = Type.Object(
  { text: Type.String({ minLength: 1, maxLength: 5000, examples: ['Call before delivery.'] }) },
  { $id: 'OrderNoteInput' },
);

const ids = { storeId: 'store', orderId: 'order' } as const;

/** Routes of notes: `decisions.md 23.8`. */
export const routes = defineRoutes({
  listOrderNotes: {
    method: 'GET',
    path: '/api/stores/{storeId}/orders/{orderId}/notes',
    access: { member: 'orders.read' },
    summary: "List the members' notes on an order",
    description: 'Newest first. They never appear in `/api/v1` or in events.',
    ids,
    query: Type.Object(paging),
    answer: [200, pageSchema('notes', OrderNote)],
  },
  createOrderNote: {
    method: 'POST',
    path: '/api/stores/{storeId}/orders/{orderId}/notes',
    access: { member: 'orders.write' },
    summary: 'Add a note to an order',
    description: 'Only for members of the store: customers and apps never see it.',
    ids,
    body: NoteInput,
    // The handler asks identity for the author's name.
    idempotency: 'handler',
    answer: [201, Type.Object({ note: OrderNote })],
    errors: [errors.too_many_notes],
  },
  deleteOrderNote: {
    method: 'DELETE',
    path: '/api/stores/{storeId}/orders/{orderId}/notes/{noteId}',
    access: { member: 'orders.write' },
    summary: 'Delete a note on an order',
    description: 'Your own notes, or any note if you manage the store.',
    ids: { ...ids, noteId: 'note' },
    answer: [204, null],
    errors: [errors.insufficient_role],
  },
});
