import { Fulfillment, fulfillmentStates, IdInput, OrderUnits } from '@waybill/contracts';
import { defineRoutes, nullable, pageSchema, paging } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';

const tracking = {
  carrier: Type.Optional(
    nullable(
      Type.String({
        minLength: 1,
        maxLength: 60,
        description: 'Any name; for known carriers, `trackingUrl` is derived from the number.',
        examples: ['dhl'],
      }),
    ),
  ),
  trackingNumber: Type.Optional(
    nullable(Type.String({ minLength: 1, maxLength: 100, examples: ['00340434161094042557'] })),
  ),
  trackingUrl: Type.Optional(
    nullable(
      Type.String({
        maxLength: 2048,
        description: 'http or https. Overrides the URL of a known carrier; null restores it.',
        examples: ['https://track.example/00340434161094042557'],
      }),
    ),
  ),
  notify: Type.Optional(Type.Boolean({ description: 'Whether to mail the customer; true by default.' })),
};

export const UnitsInput = Type.Object({
  ...OrderUnits.properties,
  variantId: IdInput('variant'),
});

export const FulfillmentInput = Type.Object(
  {
    lines: Type.Optional(
      Type.Array(UnitsInput, {
        minItems: 1,
        maxItems: 1000,
        description: 'By default everything that is left.',
      }),
    ),
    ...tracking,
  },
  { $id: 'FulfillmentInput' },
);
export type FulfillmentInput = Static<typeof FulfillmentInput>;

export const FulfillmentPatch = Type.Object(
  { status: Type.Optional(Type.Enum([...fulfillmentStates])), ...tracking },
  { $id: 'FulfillmentPatch' },
);
export type FulfillmentPatch = Static<typeof FulfillmentPatch>;

const Item = Type.Object({ fulfillment: Fulfillment });
const ids = { id: 'order' } as const;
const itemIds = { id: 'order', fulfillmentId: 'fulfillment' } as const;

/** Routes of fulfilments: `decisions.md 23.1`. */
export const routes = defineRoutes({
  listFulfillments: {
    method: 'GET',
    path: '/api/v1/orders/{id}/fulfillments',
    access: { scope: 'orders.read' },
    summary: 'List the fulfilments of an order',
    description: 'Newest first.',
    ids,
    query: Type.Object(paging),
    answer: [200, pageSchema('fulfillments', Fulfillment)],
  },
  createFulfillment: {
    method: 'POST',
    path: '/api/v1/orders/{id}/fulfillments',
    access: { scope: 'orders.write' },
    summary: 'Fulfil an order or a part of it',
    description:
      'By default everything that is left. Emits `fulfillment.created` and `order.updated`. `invalid_quantity` ' +
      'if more is sent than is left, `invalid_state` for a cancelled order.',
    ids,
    body: FulfillmentInput,
    isBodyOptional: true,
    answer: [201, Item],
    errors: [errors.invalid_quantity, errors.invalid_state, errors.too_many_fulfillments],
  },
  getFulfillment: {
    method: 'GET',
    path: '/api/v1/orders/{id}/fulfillments/{fulfillmentId}',
    access: { scope: 'orders.read' },
    summary: 'Read a fulfilment',
    description: 'The units shipped together, the carrier, and the tracking number and page.',
    ids: itemIds,
    answer: [200, Item],
  },
  changeFulfillment: {
    method: 'PATCH',
    path: '/api/v1/orders/{id}/fulfillments/{fulfillmentId}',
    access: { scope: 'orders.write' },
    summary: "Change a fulfilment's tracking or status",
    description:
      '`cancelled` is final, and its units can be shipped again. Emits `fulfillment.updated` if anything ' +
      'changed, and `order.updated` if the order did.',
    ids: itemIds,
    body: FulfillmentPatch,
    answer: [200, Item],
    errors: [errors.invalid_state],
  },
});
