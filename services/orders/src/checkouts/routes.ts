import { Email, idPattern, linePattern, maxOrderQuantity, Name, Order } from '@waybill/contracts';
import { defineRoutes, nullable } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { AddressInput, Phone } from '../customers/routes.ts';
import { errors } from '../errors.ts';

export const CheckoutInput = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        variantId: Type.String({ pattern: idPattern('variant') }),
        quantity: Type.Integer({ minimum: 1, maximum: maxOrderQuantity }),
      }),
      {
        minItems: 1,
        maxItems: 100,
        description:
          'A variant that stands here twice becomes one line item; of each there may be as many as the store allows, ' +
          `${maxOrderQuantity} at most.`,
      },
    ),
    customer: Type.Object({
      name: Name({ pattern: linePattern }),
      email: Email,
      phone: Type.Optional(nullable(Phone)),
      shippingAddress: Type.Optional(nullable(AddressInput)),
    }),
  },
  { $id: 'CheckoutInput' },
);
export type CheckoutInput = Static<typeof CheckoutInput>;

/** `decisions.md 3.5, 10.2`. */
export const routes = defineRoutes({
  placeOrder: {
    method: 'POST',
    path: '/storefront/{storeId}/orders',
    access: 'public',
    summary: 'Place an order',
    description:
      'Takes the stock of all items, or of none: `409 out_of_stock` names the variants of which there is too little, ' +
      'in `variants`, each with `available`: whether any is left. Only variants of active products can be ordered. The customer is found by e-mail or created. The ' +
      'same Idempotency-Key with the same body answers the same order for 24 hours; an error is not kept. Limited ' +
      'per address, and per store by the orders that it takes. Emits `order.created`, `customer.created` for a new one, and `product.updated` for the stock.',
    ids: { storeId: 'store' },
    headers: {
      'Idempotency-Key': { required: true, description: '1 to 255 characters, new for each order.' },
    },
    body: CheckoutInput,
    answer: [
      201,
      Type.Object({
        order: Order,
        token: Type.String({
          description: 'Whoever has it can look at the order: `GET /storefront/{storeId}/orders/{token}`.',
          examples: ['01jd5w2k0q8v6m3n4p5r6s7t8v-Zm9vYmFyYmF6cXV4MTIzNA'],
        }),
      }),
    ],
    errors: [
      errors.idempotency_key_required,
      errors.out_of_stock,
      errors.idempotency_conflict,
      errors.rate_limited,
      errors.resource_unavailable,
    ],
  },
  placeOrderForCustomer: {
    method: 'POST',
    path: '/api/stores/{storeId}/orders',
    access: { member: 'orders.write' },
    summary: 'Place an order for a customer',
    description:
      'As at the storefront, but for its limits. The Idempotency-Key may be left out: then each request is an order of ' +
      'its own.',
    ids: { storeId: 'store' },
    body: CheckoutInput,
    // Stock is another's to give, and a checkout that broke off goes on under its key.
    idempotency: 'handler',
    answer: [201, Type.Object({ order: Order })],
    errors: [errors.out_of_stock],
  },
  placeFromPage: {
    method: 'POST',
    path: '/internal/checkouts',
    access: 'service',
    summary: 'Place an order from a page of the store’s own, for a visitor',
    body: Type.Object({
      storeId: Type.String({ pattern: idPattern('store') }),
      key: Type.String({ minLength: 1, maxLength: 255 }),
      address: Type.String(),
      checkout: CheckoutInput,
      onlyBegun: Type.Optional(Type.Literal(true)),
    }),
    answer: [200, Type.Unknown()],
  },
  settleCheckouts: {
    method: 'POST',
    path: '/internal/orders/settle',
    access: 'service',
    summary: 'Whether orders were placed; those that were not never will be',
    body: Type.Object({
      orders: Type.Array(
        Type.Object({ storeId: Type.String(), orderId: Type.String({ pattern: idPattern('order') }) }),
        { maxItems: 1000 },
      ),
    }),
    answer: [200, Type.Object({ placed: Type.Array(Type.Boolean()) })],
  },
});
