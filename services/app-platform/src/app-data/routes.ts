import { type AppDataFact, Timestamp } from '@waybill/contracts';
import { defineRoutes, nullable, pageSchema, paging } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';

const owners = ['site', 'product'] as const;
export type Owner = (typeof owners)[number];

export const AppData = Type.Object(
  {
    key: Type.String(),
    value: Type.String(),
    owner: Type.Enum([...owners]),
    ownerId: nullable(Type.String({ description: "The product's ID; null for values of the site." })),
    updatedAt: Timestamp,
  },
  { $id: 'AppData' },
);
export type AppData = Static<typeof AppData>;

export const keyPattern = '^[a-z0-9][a-z0-9._-]{0,63}$';

export const AppDataInput = Type.Object(
  {
    key: Type.String({
      pattern: keyPattern,
      errorCode: { required: 'invalid_key', type: 'invalid_key', pattern: 'invalid_key' },
    }),
    value: Type.String({ description: 'At most 8 KiB of UTF-8.' }),
    owner: Type.Optional(Type.Enum([...owners], { default: 'site', errorCode: 'invalid_owner' })),
    ownerId: Type.Optional(
      Type.Union([Type.String(), Type.Null()], {
        errorCode: 'invalid_owner',
        description: "The product's ID; required if the owner is a product.",
      }),
    ),
  },
  { $id: 'AppDataInput' },
);
export type AppDataInput = Static<typeof AppDataInput>;

const ListQuery = Type.Object({
  ...paging,
  key: Type.Optional(Type.String()),
  owner: Type.Optional(Type.Enum([...owners])),
  ownerId: Type.Optional(Type.String()),
});
export type ListQuery = Static<typeof ListQuery>;

const AppDataName = Type.Object({
  appId: Type.String(),
  key: Type.String(),
  owner: Type.Enum([...owners]),
  ownerId: nullable(Type.String()),
});

/** Selects one of the values of a key. */
const OneQuery = Type.Object({
  // Not an enumeration, because a wrong value would be ignored, and a deletion would then hit another value.
  owner: Type.Optional(Type.String({ description: '`site` by default, or `product`.' })),
  ownerId: Type.Optional(Type.String({ description: 'The ID of the product.' })),
});
const Item = Type.Object({ appData: AppData });

/** `store-api.md 4.10`, `decisions.md 7.1`. */
export const routes = defineRoutes({
  listAppData: {
    method: 'GET',
    path: '/api/v1/app-data',
    access: { app: 'appdata.read' },
    summary: "List the calling app's values in the store, by key",
    description: 'Filtered by key, owner or product. An app sees only its own values.',
    query: ListQuery,
    answer: [200, pageSchema('appData', AppData)],
  },
  getAppData: {
    method: 'GET',
    path: '/api/v1/app-data/{key}',
    access: { app: 'appdata.read' },
    summary: 'Read a value of the site, or with `owner` and `ownerId` of a product',
    description: 'The `ETag` is for conditional changes.',
    query: OneQuery,
    answer: [200, Item],
    errors: [errors.invalid_owner],
  },
  setAppData: {
    method: 'PUT',
    path: '/api/v1/app-data',
    access: { app: 'appdata.write' },
    summary: 'Set a value',
    description: 'At most 500 values per app and store. Setting the same value again changes nothing.',
    body: AppDataInput,
    // Catalog is asked before the transaction begins.
    idempotency: 'handler',
    answer: [200, Item],
    errors: [errors.invalid_key, errors.invalid_owner, errors.not_found, errors.too_many_keys],
  },
  deleteAppData: {
    method: 'DELETE',
    path: '/api/v1/app-data/{key}',
    access: { app: 'appdata.write' },
    summary: 'Delete a value of the site, or with `owner` and `ownerId` of a product',
    description: 'Elements that are bound to it then show the text set by their author.',
    query: OneQuery,
    answer: [204, null],
    errors: [errors.invalid_owner],
  },
  lookUpAppData: {
    method: 'POST',
    path: '/internal/app-data/lookup',
    access: 'service',
    summary: 'Look up app data by name, of apps available in the store',
    body: Type.Object({ storeId: Type.String(), values: Type.Array(AppDataName, { maxItems: 20_000 }) }),
    answer: [200, Type.Object({ values: Type.Array(Type.Unsafe<AppDataFact>(AppDataName)) })],
  },
});
