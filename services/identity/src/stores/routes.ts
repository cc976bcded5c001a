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
import { defineRoutes, nullable, pagesOf, paging } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';

const name = Name();
const slug = Type.String({ pattern: slugPattern, maxLength: slugMaxLength, errorCode: 'invalid_slug' });
const currency = Type.String({ pattern: '^[A-Z]{3}$', description: 'ISO 4217.', examples: ['EUR'] });
const currencyExponent = Type.Integer({
  minimum: 0,
  maximum: 4,
  description: 'How many decimals the currency has by ISO 4217: amounts are in its minor unit.',
  examples: [2],
});

const locales = (items: Type.TString) =>
  Type.Union([Type.Array(items, { minItems: 1, maxItems: maxLocales }), Type.Null()], {
    description:
      'The languages that the store is shown in, BCP 47: the one that it is written in, then those that it has addresses ' +
      'in besides. Null: English, and the first 20 that it has translations in.',
    examples: [['en', 'de', 'pt-BR']],
  });

const storeUrl = Type.String({
  description: 'Where visitors find it.',
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
      description: 'A store of an app developer’s organisation, where unreviewed versions can be installed.',
    }),
    faviconMediaId: nullable(
      Type.String({
        description:
          'A picture of the store’s media library, which browsers show beside the titles of its pages.',
        examples: ['mda_01jd5w2k0q8v6m3n4p5r6s7t8v'],
      }),
    ),
    url: storeUrl,
    checkout: CheckoutSettings,
    role: Type.Enum([...roles], { description: "The caller's." }),
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
export const formerToo = Type.Object({ former: Type.Optional(Type.String()) });

/** Routes of stores: `decisions.md 8.2`. */
export const routes = defineRoutes({
  listStores: {
    method: 'GET',
    path: '/api/stores',
    access: 'user',
    summary: 'List the stores that you are a member of',
    description: 'With your role in each.',
    query: Type.Object(paging),
    answer: [200, pagesOf('stores', Store)],
  },
  createStore: {
    method: 'POST',
    path: '/api/stores',
    access: 'user',
    summary: 'Create a store, with you as its owner',
    description: 'Without a slug one is derived from the name. The currency is EUR unless given.',
    body: StoreInput,
    answer: [201, Item],
    errors: [errors.invalid_slug, errors.duplicate_slug, errors.too_many_own_stores],
  },
  getStore: {
    method: 'GET',
    path: '/api/stores/{storeId}',
    access: { member: 'any' },
    summary: 'Read a store',
    description: 'What it is called, what it counts in, and your role in it.',
    ids,
    answer: [200, Item],
  },
  changeStore: {
    method: 'PATCH',
    path: '/api/stores/{storeId}',
    access: { member: 'manager' },
    summary: "Change a store's name, slug, currency, languages or settings",
    description:
      'What is left out stays as it is, within `checkout` too. A former `slug` stays with the store: it leads to the ' +
      'new one, and no other store can take it. `faviconMediaId` is a picture of the store’s media ' +
      'library; null: browsers show the first letter of its name.',
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
    summary: 'Read the store and the permissions of this credential',
    description:
      'Needs no scope of its own. `scopes` are those that hold at this moment: of a key, as far as the role of its creator reaches.',
    answer: [200, OwnStore],
  },
  getOwnStoreAsMember: {
    method: 'GET',
    path: '/api/stores/{storeId}/store',
    access: { member: 'any' },
    summary: 'Read a store and your permissions in it',
    description: 'The member’s door of `GET /api/v1/store`. `scopes` are the permissions of your role.',
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
    query: formerToo,
    answer: [200, StoreFactsAnswer],
  },
});
