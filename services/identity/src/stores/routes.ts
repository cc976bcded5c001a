import {
  CheckoutSettings,
  idPattern,
  maxLocales,
  Name,
  permissions,
  roles,
  slugMaxLength,
  slugPattern,
  Timestamp,
} from '@waybill/contracts';
import { defineRoutes, nullable, pageSchema, paging } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';

const name = Name();
const slug = Type.String({ pattern: slugPattern, maxLength: slugMaxLength, errorCode: 'invalid_slug' });
const currency = Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217.', examples: ['EUR'] });
const currencyExponent = Type.Integer({
  minimum: 0,
  maximum: 4,
  description: 'The number of decimals of the currency by ISO 4217: amounts are in its minor unit.',
  examples: [2],
});

const locales = (items: Type.TString) =>
  Type.Union([Type.Array(items, { minItems: 1, maxItems: maxLocales }), Type.Null()], {
    description:
      'The languages of the store, BCP 47: first the original language, then the languages with addresses of ' +
      'their own. Null: English, and the first 20 languages with translations.',
    examples: [['en', 'de', 'pt-BR']],
  });

const storeUrl = Type.String({
  description: 'The address of the store for visitors.',
  examples: ['https://tea-house.example/'],
});

export const Store = Type.Object(
  {
    id: Type.String({ pattern: idPattern('store') }),
    name: Type.String(),
    slug: Type.String({ description: 'Unique among all stores.' }),
    currency,
    currencyExponent,
    locales: locales(Type.String()),
    isDevelopment: Type.Boolean({
      description:
        'Whether the store belongs to an app developer’s organisation, and can install unreviewed versions.',
    }),
    faviconMediaId: nullable(
      Type.String({
        description: 'A picture from the store’s media library; browsers show it beside page titles.',
        examples: ['mda_01jd5w2k0q8v6m3n4p5r6s7t8v'],
      }),
    ),
    url: storeUrl,
    checkout: CheckoutSettings,
    role: Type.Enum([...roles], { description: "The caller's role." }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  },
  { $id: 'Store' },
);
export type Store = Static<typeof Store>;

export const StoreInput = Type.Object({
  name,
  slug: Type.Optional(slug),
  currency: Type.Optional(currency),
});
export type StoreInput = Static<typeof StoreInput>;

export const StoreChange = Type.Partial(
  Type.Object({
    ...StoreInput.properties,
    locales: locales(Type.String({ minLength: 1, maxLength: 100 })),
    faviconMediaId: nullable(Type.String({ maxLength: 100, examples: ['mda_01jd5w2k0q8v6m3n4p5r6s7t8v'] })),
    checkout: Type.Partial(CheckoutSettings),
  }),
);
export type StoreChange = Static<typeof StoreChange>;

const Item = Type.Object({ store: Store });
const Facts = Type.Object({
  ...Type.Pick(Store, ['id', 'name', 'slug', 'currency', 'locales', 'isDevelopment']).properties,
  faviconMediaId: Type.Optional(Store.properties.faviconMediaId),
});
const OwnStore = Type.Object({
  store: Type.Object({
    ...Facts.properties,
    currencyExponent,
    url: storeUrl,
  }),
  scopes: Type.Array(Type.Enum([...permissions])),
});
const StoreFactsAnswer = Type.Object({
  store: Facts,
  checkout: CheckoutSettings,
  orgId: nullable(Type.String()),
});
const ids = { storeId: 'store' } as const;
/** Query that also accepts a store's former addresses: `decisions.md 19.12`. */
export const formerQuery = Type.Object({ former: Type.Optional(Type.String()) });

/** Routes of stores: `decisions.md 8.2`. */
export const routes = defineRoutes({
  listStores: {
    method: 'GET',
    path: '/api/stores',
    access: 'user',
    summary: 'List the stores that you are a member of',
    description: 'Each store includes your role.',
    query: Type.Object(paging),
    answer: [200, pageSchema('stores', Store)],
  },
  createStore: {
    method: 'POST',
    path: '/api/stores',
    access: 'user',
    summary: 'Create a store, with you as its owner',
    description: 'Without a slug, one is derived from the name. The currency is EUR by default.',
    body: StoreInput,
    answer: [201, Item],
    errors: [errors.invalid_slug, errors.duplicate_slug, errors.too_many_own_stores],
  },
  getStore: {
    method: 'GET',
    path: '/api/stores/{storeId}',
    access: { member: 'any' },
    summary: 'Read a store',
    description: 'Its name, its currency, and your role in it, which its ETag does not cover.',
    ids,
    computed: ['store.role'],
    isRevalidated: true,
    answer: [200, Item],
  },
  changeStore: {
    method: 'PATCH',
    path: '/api/stores/{storeId}',
    access: { member: 'manager' },
    summary: "Change a store's name, slug, currency, languages or settings",
    description:
      'Omitted fields keep their values, also within `checkout`. A former `slug` stays with the store: it ' +
      'redirects to the new one, and no other store can take it. `faviconMediaId` is a picture from the ' +
      'store’s media library; with null, browsers show the first letter of the store’s name.',
    ids,
    body: StoreChange,
    // The handler calls the media service before it begins a transaction.
    idempotency: 'handler',
    answer: [200, Item],
    errors: [errors.invalid_slug, errors.duplicate_slug, errors.too_many_slugs, errors.resource_unavailable],
  },
  getOwnStore: {
    method: 'GET',
    path: '/api/v1/store',
    access: 'credential',
    summary: 'Read the store and the permissions in effect',
    description:
      'Requires no scope. `scopes` are those currently in effect: for a key, limited to the role of its ' +
      'creator.',
    answer: [200, OwnStore],
  },
  getOwnStoreAsMember: {
    method: 'GET',
    path: '/api/stores/{storeId}/store',
    access: { member: 'any' },
    summary: 'Read the store and the permissions in effect',
    description:
      'The equivalent of `GET /api/v1/store` for members. `scopes` are the permissions of your role.',
    ids,
    answer: [200, OwnStore],
  },
  readStoreFacts: {
    method: 'GET',
    path: '/internal/stores/{storeId}',
    access: 'service',
    summary: 'Read the facts of a store, for other services',
    ids,
    answer: [200, StoreFactsAnswer],
  },
  findStoreFacts: {
    method: 'GET',
    path: '/internal/store-slugs/{slug}',
    access: 'service',
    summary: 'Find a store by its slug; with `former`, also by a former one',
    query: formerQuery,
    answer: [200, StoreFactsAnswer],
  },
});
