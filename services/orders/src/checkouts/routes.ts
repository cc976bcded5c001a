import { Email, idPattern, linePattern, Name, Order } from '@waybill/contracts';
import { defineRoutes, nullable } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { AddressInput, Phone } from '../customers/routes.ts';
import { errors } from '../errors.ts';
import { CheckoutPayment } from '../payments/schemas.ts';
import { OrderItems, pricingChoices } from '../pricing/routes.ts';

export const CheckoutInput = Type.Object(
  {
    items: OrderItems,
    customer: Type.Object({
      name: Name({ pattern: linePattern }),
      email: Email,
      phone: Type.Optional(nullable(Phone)),
      shippingAddress: Type.Optional(nullable(AddressInput)),
    }),
    ...pricingChoices,
    locale: Type.Optional(
      nullable(
        Type.String({
          maxLength: 100,
          description: 'The language in which the order is placed, BCP 47.',
          examples: ['de'],
        }),
      ),
    ),
    expectedTotalCents: Type.Optional(
      nullable(
        Type.Integer({
          description:
            'The total shown to the buyer: with any other total no order is placed, `409 total_changed`.',
          examples: [1780],
        }),
      ),
    ),
    paymentMethodId: Type.Optional(
      nullable(
        Type.String({
          maxLength: 100,
          description:
            'A method from `GET /storefront/{storeId}/payment-methods`. Required if there are methods to choose from ' +
            'and the total is above 0.',
          examples: ['pmm_01jd5w2k0q8v6m3n4p5r6s7t8v'],
        }),
      ),
    ),
  },
  { $id: 'CheckoutInput' },
);
export type CheckoutInput = Static<typeof CheckoutInput>;

const { paymentMethodId: _, ...withoutMethod } = CheckoutInput.properties;
/** The input of a member's order, which has no payment method. */
const MemberCheckoutInput = Type.Object(withoutMethod, { $id: 'MemberCheckoutInput' });

const pricingErrors = [
  errors.total_changed,
  errors.discount_rejected,
  errors.no_shipping,
  errors.invalid_shipping_rate,
  errors.invalid_vat_id,
];

/** Routes of checkouts: `decisions.md 3.5, 10.2`; prices: `decisions.md 21.5`. */
export const routes = defineRoutes({
  placeOrder: {
    method: 'POST',
    path: '/storefront/{storeId}/orders',
    access: 'public',
    summary: 'Place an order',
    description:
      'Reserves the stock of all items or of none: `409 out_of_stock` lists the variants with too little stock ' +
      'in `variants`, each with `available`, which tells whether any is left. Only variants of active products ' +
      'can be ordered. The price equals that of a quote. A code that cannot be used is `409 discount_rejected` ' +
      'with `rejectedCodes`, unless it merely cannot be combined; a total other than `expectedTotalCents` is ' +
      '`409 total_changed` with `quote`. If items need shipping and the store has tax rates or shipping zones, ' +
      '`customer.shippingAddress.country` is required. The customer is found by e-mail or created. A store ' +
      'with payment methods requires one, `paymentMethodId`, and the shopper pays at `payment.redirectUrl` ' +
      'unless that is null. The same Idempotency-Key with the same body returns the same order for 24 hours; ' +
      'errors are not stored. Rate-limited per address, and per store by accepted orders. Emits ' +
      '`order.created`, `customer.created` for a new customer, and `product.updated` for the stock.',
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
          description:
            'Anyone with the token can view the order: `GET /storefront/{storeId}/orders/{token}`.',
          examples: ['01jd5w2k0q8v6m3n4p5r6s7t8v-Zm9vYmFyYmF6cXV4MTIzNA'],
        }),
        payment: nullable(CheckoutPayment),
      }),
    ],
    errors: [
      errors.idempotency_key_required,
      errors.out_of_stock,
      errors.idempotency_conflict,
      ...pricingErrors,
      errors.payment_method_required,
      errors.invalid_payment_method,
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
      'Works like the storefront, without its rate limits. The Idempotency-Key is optional: without it, each ' +
      'request creates a separate order.',
    ids: { storeId: 'store' },
    body: MemberCheckoutInput,
    // The handler reserves stock in another service, and continues an interrupted checkout under its key.
    idempotency: 'handler',
    answer: [201, Type.Object({ order: Order })],
    errors: [errors.out_of_stock, ...pricingErrors],
  },
  placeFromPage: {
    method: 'POST',
    path: '/internal/checkouts',
    access: 'service',
    summary: 'Place an order from a store page, for a visitor',
    body: Type.Object({
      storeId: Type.String({ pattern: idPattern('store') }),
      key: Type.String({ minLength: 1, maxLength: 255 }),
      address: Type.String(),
      checkout: CheckoutInput,
      pageLocale: Type.Optional(Type.String()),
      onlyBegun: Type.Optional(Type.Literal(true)),
    }),
    answer: [200, Type.Unknown()],
  },
  settleCheckouts: {
    method: 'POST',
    path: '/internal/orders/settle',
    access: 'service',
    summary: 'Check whether orders were placed, and abandon the others',
    body: Type.Object({
      orders: Type.Array(
        Type.Object({ storeId: Type.String(), orderId: Type.String({ pattern: idPattern('order') }) }),
        { maxItems: 1000 },
      ),
    }),
    answer: [200, Type.Object({ placed: Type.Array(Type.Boolean()) })],
  },
});
