import { defineRoutes } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../../errors.ts';

const anything = Type.Array(Type.Object({}, { additionalProperties: true }));

/** A block that a page of the store can hold: `decisions.md 13.5`; its parts as in a manifest, `store-api.md 2.11`. */
const CatalogueBlock = Type.Object(
  {
    appId: Type.String(),
    appName: Type.String(),
    versionId: Type.String(),
    versionNumber: Type.Integer(),
    key: Type.String({ description: 'With `appId`, identifies the block in a `blockRef`.' }),
    name: Type.String(),
    icon: Type.Union([Type.String(), Type.Null()]),
    rootId: Type.String(),
    nodes: anything,
    slots: anything,
    traits: anything,
  },
  { $id: 'CatalogueBlock' },
);
export type CatalogueBlock = Static<typeof CatalogueBlock>;

/** `decisions.md 13.5`. */
export const routes = defineRoutes({
  listBlocks: {
    method: 'GET',
    path: '/api/stores/{storeId}/blocks',
    access: { member: 'pages.read' },
    summary: 'List the blocks of all apps available in the store',
    description: 'By app, in the order of its manifest. Not paginated: an app has at most 24.',
    ids: { storeId: 'store' },
    answer: [200, Type.Object({ blocks: Type.Array(CatalogueBlock), total: Type.Integer({ minimum: 0 }) })],
    errors: [errors.resource_unavailable],
  },
});
