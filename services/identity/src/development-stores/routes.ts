import { defineRoutes, nullable, pageSchema, paging } from '@waybill/kernel';
import Type from 'typebox';
import { errors } from '../errors.ts';
import { Store, StoreInput } from '../stores/routes.ts';

const DevelopmentStore = Type.Object(
  { ...Store.properties, role: nullable(Store.properties.role) },
  { $id: 'DevelopmentStore' },
);

const ids = { orgId: 'organisation' } as const;
const stores = '/api/orgs/{orgId}/stores';
const ofOrganisation = [errors.not_found, errors.resource_unavailable];

/** Routes of development stores: `decisions.md 14.3`. */
export const routes = defineRoutes({
  listDevelopmentStores: {
    method: 'GET',
    path: stores,
    access: 'user',
    summary: "List an organisation's development stores",
    description:
      'The open development stores. `role` is the caller’s role in the store; null for non-members.',
    ids,
    query: Type.Object(paging),
    answer: [200, pageSchema('stores', DevelopmentStore)],
    errors: ofOrganisation,
  },
  createDevelopmentStore: {
    method: 'POST',
    path: stores,
    access: 'user',
    summary: "Create a development store for an organisation's apps, with you as its owner",
    description:
      'Versions of the organisation’s apps can be installed there in any state, and its pages exclude search ' +
      'engines. It stays a development store; an organisation can have 20.',
    ids,
    body: Type.Pick(StoreInput, ['name']),
    answer: [201, Type.Object({ store: Store })],
    idempotency: 'handler',
    errors: [...ofOrganisation, errors.too_many_stores],
  },
  closeDevelopmentStore: {
    method: 'DELETE',
    path: `${stores}/{storeId}`,
    access: 'user',
    summary: 'Close a development store',
    description:
      'For owners of the organisation and owners of the store. All memberships end, its address stops working, and ' +
      'its apps are uninstalled.',
    ids: { ...ids, storeId: 'store' },
    idempotency: 'handler',
    answer: [204, null],
    errors: [...ofOrganisation, errors.insufficient_role],
  },
  countDevelopmentStores: {
    method: 'GET',
    path: '/internal/orgs/{orgId}/stores',
    access: 'service',
    summary: 'Count the open stores of an organisation',
    ids,
    answer: [200, Type.Object({ total: Type.Integer() })],
  },
});
