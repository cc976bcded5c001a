import { IdInput, Refund, Return, returnKinds, returnStates } from '@waybill/contracts';
import { defineRoutes, nullable, pageSchema, paging } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';
import { RefundAmounts, RefundTerms } from '../refunds/routes.ts';

const Note = Type.Optional(
  nullable(
    Type.String({ maxLength: 5000, description: 'Shown to the customer.', examples: ['It does not fit.'] }),
  ),
);

export const ReturnInput = Type.Object(
  {
    kind: Type.Optional(
      Type.Enum([...returnKinds], { default: 'return', description: '`return` by default.' }),
    ),
    lines: Type.Array(
      Type.Object({
        variantId: IdInput('variant'),
        quantity: Type.Integer({ minimum: 1, examples: [1] }),
        reason: Type.Optional(nullable(Type.String({ maxLength: 500, examples: ['Too small'] }))),
      }),
      { minItems: 1, maxItems: 1000 },
    ),
    note: Note,
  },
  { $id: 'ReturnInput' },
);
export type ReturnInput = Static<typeof ReturnInput>;

const Notify = Type.Optional(Type.Boolean({ description: 'Whether to mail the customer; true by default.' }));

const MemberReturnInput = Type.Object(
  { ...ReturnInput.properties, notify: Notify },
  { $id: 'MemberReturnInput' },
);

export const ReturnPatch = Type.Object(
  { state: Type.Optional(Type.Enum([...returnStates])), note: Note, notify: Notify },
  { $id: 'ReturnPatch' },
);
export type ReturnPatch = Static<typeof ReturnPatch>;

const ReturnRefundInput = Type.Object(
  { ...RefundAmounts.properties, ...RefundTerms.properties },
  { $id: 'ReturnRefundInput' },
);
export type ReturnRefundInput = Static<typeof ReturnRefundInput>;

const Item = Type.Object({ return: Return });
const ids = { id: 'order' } as const;
const itemIds = { id: 'order', returnId: 'return' } as const;

const ListQuery = Type.Object({ ...paging, state: Type.Optional(Type.Enum([...returnStates])) });
export type ListQuery = Static<typeof ListQuery>;

/** Routes of returns: `decisions.md 23.3`. */
export const routes = defineRoutes({
  listStoreReturns: {
    method: 'GET',
    path: '/api/v1/returns',
    access: { scope: 'orders.read' },
    summary: 'List returns',
    description:
      'Returns of all orders, newest first; can be filtered by state, for example to those that wait for an ' +
      'answer.',
    query: ListQuery,
    answer: [200, pageSchema('returns', Return)],
  },
  listReturns: {
    method: 'GET',
    path: '/api/v1/orders/{id}/returns',
    access: { scope: 'orders.read' },
    summary: 'List the returns of an order',
    description: 'Newest first.',
    ids,
    query: Type.Object(paging),
    answer: [200, pageSchema('returns', Return)],
  },
  createReturn: {
    method: 'POST',
    path: '/api/v1/orders/{id}/returns',
    access: { scope: 'orders.write' },
    summary: 'Approve a return',
    description:
      'It is approved from the start. Over all returns that were not declined, the units cannot exceed those ' +
      'bought. Emits `return.updated`.',
    ids,
    body: MemberReturnInput,
    answer: [201, Item],
    errors: [errors.invalid_quantity, errors.invalid_state],
  },
  getReturn: {
    method: 'GET',
    path: '/api/v1/orders/{id}/returns/{returnId}',
    access: { scope: 'orders.read' },
    summary: 'Read a return',
    description: 'Its items, reasons and state.',
    ids: itemIds,
    answer: [200, Item],
  },
  changeReturn: {
    method: 'PATCH',
    path: '/api/v1/orders/{id}/returns/{returnId}',
    access: { scope: 'orders.write' },
    summary: 'Change the state of a return',
    description:
      'requested → approved or declined, approved → received, received → closed. `received` returns the units ' +
      'to stock, once. Emits `return.updated` if anything changed.',
    ids: itemIds,
    body: ReturnPatch,
    answer: [200, Item],
    errors: [errors.invalid_state],
  },
  refundReturn: {
    method: 'POST',
    path: '/api/v1/orders/{id}/returns/{returnId}/refund',
    access: { scope: 'orders.write' },
    summary: 'Refund a return',
    description:
      'Refunds its lines, once, when it is approved or received; with shipping or another amount if given. ' +
      'Emits `refund.created`, `return.updated` and `order.updated`.',
    ids: itemIds,
    body: ReturnRefundInput,
    isBodyOptional: true,
    // The handler asks identity for the store's refund limit.
    idempotency: 'handler',
    answer: [201, Type.Object({ refund: Refund })],
    errors: [
      errors.invalid_state,
      errors.invalid_quantity,
      errors.amount_exceeded,
      errors.provider_refused,
      errors.insufficient_role,
      errors.resource_unavailable,
    ],
  },
  requestReturn: {
    method: 'POST',
    path: '/storefront/{storeId}/orders/{token}/returns',
    access: 'public',
    summary: 'Request a return of purchased items',
    description:
      'By the `token` of the order, within the store’s return period (`checkout.returnDays`) after delivery, ' +
      'else shipment, else the order. Emits `return.updated`.',
    ids: { storeId: 'store' },
    body: ReturnInput,
    answer: [201, Item],
    errors: [
      errors.return_window_closed,
      errors.invalid_quantity,
      errors.invalid_state,
      errors.rate_limited,
      errors.resource_unavailable,
    ],
  },
});
