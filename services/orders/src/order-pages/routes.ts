import { Fulfillment, IdInput, OrderUnits, Return, returnKinds } from '@waybill/contracts';
import { defineRoutes, nullable } from '@waybill/kernel';
import Type from 'typebox';

const tokenFields = { storeId: Type.String(), token: Type.String() };

/** Routes that provide the page of an order with the events after the sale: `decisions.md 23.6`. */
export const routes = defineRoutes({
  readOrderPage: {
    method: 'POST',
    path: '/internal/order-pages/read',
    access: 'service',
    summary: 'List the parcels, documents and returns of an order, by its token',
    body: Type.Object(tokenFields),
    answer: [
      200,
      Type.Object({
        fulfillments: Type.Array(Fulfillment),
        documents: Type.Array(Type.Unknown()),
        returns: Type.Array(Return),
        returnable: Type.Array(OrderUnits),
      }),
    ],
  },
  returnFromPage: {
    method: 'POST',
    path: '/internal/order-pages/returns',
    access: 'service',
    summary: "Request a return from the order's page; the code of a refusal, or null",
    body: Type.Object({
      ...tokenFields,
      kind: Type.Enum([...returnKinds]),
      lines: Type.Array(
        Type.Object({
          ...OrderUnits.properties,
          variantId: IdInput('variant'),
          reason: nullable(Type.String({ maxLength: 500 })),
        }),
        { minItems: 1, maxItems: 1000 },
      ),
      address: Type.String(),
    }),
    answer: [200, Type.Object({ refusal: nullable(Type.String()) })],
  },
});
