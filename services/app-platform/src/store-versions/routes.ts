import { Timestamp } from '@waybill/contracts';
import { defineRoutes, nullable, pageSchema, paging } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { AppVersion } from '../versions/routes.ts';

const { id, number, scopes, connectOrigins, state } = AppVersion.properties;

export const StoreVersion = Type.Object(
  {
    id,
    number,
    scopes,
    connectOrigins,
    state,
    approvedAt: nullable(Timestamp),
    isInstalled: Type.Boolean(),
    isWaiting: Type.Boolean({ description: 'Whether a consent would install it.' }),
    needsConsent: Type.Boolean({
      description:
        'Whether it requests more than the store grants now; without an install, whether it requests anything at ' +
        'all.',
    }),
    blocks: Type.Array(Type.Object({ key: Type.String(), name: Type.String() })),
  },
  { $id: 'StoreVersion' },
);
export type StoreVersion = Static<typeof StoreVersion>;

/** `decisions.md 14.8`. */
export const routes = defineRoutes({
  listStoreVersions: {
    method: 'GET',
    path: '/api/stores/{storeId}/apps/{appId}/versions',
    access: { member: 'integrations.read' },
    summary: 'List the versions of an app available to a store, newest first',
    description:
      'The approved versions, and the installed version in any state. An app that was never approved is ' +
      'visible only to its organisation, and to stores that have it.',
    ids: { storeId: 'store', appId: 'app' },
    query: Type.Object(paging),
    answer: [200, pageSchema('versions', StoreVersion)],
  },
});
