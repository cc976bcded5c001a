import { countries, IdInput, idPattern, Name, Timestamp } from '@waybill/contracts';
import { defineRoutes, nullable, pageSchema, paging } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';

export const providers = ['manual', 'stripe', 'app'] as const;
export type Provider = (typeof providers)[number];

const captures = ['automatic', 'manual'] as const;

const Country = Type.Unsafe<string>(
  Type.Enum([...countries], { description: 'ISO 3166-1 alpha-2.', examples: ['DE'] }),
);
const Cents = Type.Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'In minor units of the store’s currency.',
  examples: [100_000],
});

const MethodName = Name({
  description: 'The name shown to shoppers.',
  examples: ['Bank transfer'],
});

/** The fields that requests may set. */
const settable = {
  name: MethodName,
  isEnabled: Type.Boolean({ description: 'Whether shoppers can choose it.' }),
  capture: Type.Enum([...captures], {
    description: '`manual`: the money is only authorised at checkout, and captured by hand.',
  }),
  instructions: Type.String({
    maxLength: 5_000,
    description: 'Instructions for shoppers who chose it; shown with the order.',
    examples: ['Please transfer the amount to DE02 1203 0000 0000 2020 51.'],
  }),
  publishableKey: nullable(Type.String({ maxLength: 255, examples: ['pk_test_51H…'] })),
  countries: nullable(
    Type.Array(Country, { minItems: 1, maxItems: 250, description: 'Null for every country.' }),
  ),
  minimumCents: nullable(Cents),
  maximumCents: nullable(Cents),
  position: Type.Integer({
    minimum: 0,
    description: 'Its position in the list, from 0: setting it moves the others.',
    examples: [0],
  }),
};

export const PaymentMethod = Type.Object(
  {
    id: Type.String({ pattern: idPattern('paymentMethod') }),
    provider: Type.Enum([...providers]),
    ...settable,
    isTest: Type.Boolean({ description: 'Whether it takes no real money, as determined from its key.' }),
    hasSecretKey: Type.Boolean(),
    hasWebhookSecret: Type.Boolean(),
    webhookUrl: nullable(
      Type.String({
        description: 'The URL for the provider’s events; null if it sends none.',
        examples: ['https://shop.example/payments/pmm_01jd5w2k0q8v6m3n4p5r6s7t8v/events'],
      }),
    ),
    appId: nullable(Type.String({ pattern: idPattern('app') })),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'StorePaymentMethod' },
);
export type PaymentMethod = Static<typeof PaymentMethod>;

const secrets = {
  secretKey: Type.String({
    minLength: 1,
    maxLength: 255,
    errorCode: 'invalid_credentials',
    description: 'Stripe only: a secret or a restricted key. Write-only.',
    examples: ['sk_test_51H…'],
  }),
  webhookSecret: nullable(
    Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'Verifies the provider’s events, if you register their address yourself. Write-only.',
      examples: ['whsec_5f0c…'],
    }),
  ),
};

const { name: _, ...changeable } = settable;

export const PaymentMethodInput = Type.Object(
  {
    provider: Type.Enum([...providers]),
    name: MethodName,
    ...Type.Partial(Type.Object({ ...changeable, ...secrets })).properties,
    appId: Type.Optional(
      nullable(IdInput('app', 'For `app`: the installed app that processes the payments.')),
    ),
  },
  { $id: 'PaymentMethodInput', examples: [{ provider: 'manual', name: 'Bank transfer', isEnabled: true }] },
);
export type PaymentMethodInput = Static<typeof PaymentMethodInput>;

export const PaymentMethodChange = Type.Object(
  Type.Partial(Type.Object({ ...settable, ...secrets })).properties,
  { $id: 'PaymentMethodChange' },
);
export type PaymentMethodChange = Static<typeof PaymentMethodChange>;

/** A payment method as shoppers see it. */
export const PaymentChoice = Type.Object(
  {
    id: Type.String({ pattern: idPattern('paymentMethod') }),
    name: MethodName,
    provider: Type.Enum([...providers]),
    instructions: settable.instructions,
    isTest: Type.Boolean(),
  },
  { $id: 'PaymentChoice' },
);
export type PaymentChoice = Static<typeof PaymentChoice>;

const Item = Type.Object({ paymentMethod: PaymentMethod });
const store = { storeId: 'store' } as const;
const one = { storeId: 'store', methodId: 'paymentMethod' } as const;
const methods = '/api/stores/{storeId}/payment-methods';

/** The facts that decide which methods an order may use. */
const occasion = {
  country: Type.Optional(Country),
  totalCents: Type.Optional(Cents),
};

/** Routes of payment methods: `decisions.md 22.1`. */
export const routes = defineRoutes({
  listPaymentMethods: {
    method: 'GET',
    path: methods,
    access: { member: 'manager' },
    summary: 'List a store’s payment methods',
    description: 'In the order shown to shoppers.',
    ids: store,
    query: Type.Object(paging),
    answer: [200, pageSchema('paymentMethods', PaymentMethod)],
  },
  createPaymentMethod: {
    method: 'POST',
    path: methods,
    access: { member: 'manager' },
    summary: 'Add a payment method',
    description:
      'Disabled unless `isEnabled` is true. The key of a Stripe method is tested, and `webhookUrl` is ' +
      'registered with Stripe if the key allows it; the signing secret then comes from Stripe.',
    ids: store,
    body: PaymentMethodInput,
    idempotency: 'handler',
    answer: [201, Item],
    errors: [errors.invalid_credentials, errors.too_many_payment_methods, errors.resource_unavailable],
  },
  getPaymentMethod: {
    method: 'GET',
    path: `${methods}/{methodId}`,
    access: { member: 'manager' },
    summary: 'Read a payment method',
    description: 'Everything except its secrets.',
    ids: one,
    answer: [200, Item],
  },
  changePaymentMethod: {
    method: 'PATCH',
    path: `${methods}/{methodId}`,
    access: { member: 'manager' },
    summary: 'Change a payment method',
    description: 'Omitted fields keep their values. A new key is tested before anything is saved.',
    ids: one,
    body: PaymentMethodChange,
    idempotency: 'handler',
    answer: [200, Item],
    errors: [errors.invalid_credentials, errors.too_many_payment_methods, errors.resource_unavailable],
  },
  deletePaymentMethod: {
    method: 'DELETE',
    path: `${methods}/{methodId}`,
    access: { member: 'manager' },
    summary: 'Delete a payment method',
    description: 'Shoppers can no longer choose it. Its payments in progress continue to their end.',
    ids: one,
    answer: [204, null],
  },
  listPaymentChoices: {
    method: 'GET',
    path: '/storefront/{storeId}/payment-methods',
    access: 'public',
    summary: 'List the payment methods that a shopper may choose',
    description:
      'The enabled methods, by position, that accept the country and the total. Limits on values missing from ' +
      'the query exclude nothing.',
    ids: store,
    query: Type.Object(occasion),
    isItem: false,
    answer: [200, Type.Object({ paymentMethods: Type.Array(PaymentChoice) })],
  },
});
