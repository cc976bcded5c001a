import { idPattern, Timestamp } from '@waybill/contracts';
import { defineRoutes, pageSchema, paging } from '@waybill/kernel';
import Type, { type Static } from 'typebox';
import { errors } from '../errors.ts';
import { formerQuery } from '../stores/routes.ts';

export const Domain = Type.Object(
  {
    id: Type.String({ pattern: idPattern('domain') }),
    hostname: Type.String({ description: 'The hostname in DNS form.', examples: ['shop.example.com'] }),
    state: Type.Enum(['pending', 'active'], {
      description:
        '`active`: the store is shown there. `pending`: its DNS record was not found, or is no longer found.',
    }),
    txt: Type.Object(
      {
        name: Type.String({ examples: ['_waybill.shop.example.com'] }),
        value: Type.String({ examples: ['waybill-verification=5f0c…'] }),
      },
      { description: 'The TXT record to create and keep.' },
    ),
    createdAt: Timestamp,
  },
  { $id: 'Domain' },
);
export type Domain = Static<typeof Domain>;

const Item = Type.Object({ domain: Domain });
const store = { storeId: 'store' } as const;
const domains = '/api/stores/{storeId}/domains';

/** Routes of domains: `decisions.md 17.7`. */
export const routes = defineRoutes({
  listDomains: {
    method: 'GET',
    path: domains,
    access: { member: 'manager' },
    summary: "List a store's own domains",
    description: 'In the order in which they were added, each with its required DNS record.',
    ids: store,
    query: Type.Object(paging),
    answer: [200, pageSchema('domains', Domain)],
  },
  createDomain: {
    method: 'POST',
    path: domains,
    access: { member: 'manager' },
    summary: 'Add a custom domain to a store',
    description:
      'Create the TXT record in the answer, and point the hostname at this system. DNS is checked at once and ' +
      'three times a minute for a day, then less often; once the record is found the domain is active, and it ' +
      'is rechecked daily. `duplicate_name` if the store already has the hostname, or another store is shown ' +
      'there.',
    ids: store,
    body: Type.Object({
      hostname: Type.String({ minLength: 1, maxLength: 253, examples: ['shop.example.com'] }),
    }),
    answer: [201, Item],
    errors: [errors.duplicate_name, errors.too_many_domains],
  },
  getDomain: {
    method: 'GET',
    path: `${domains}/{domainId}`,
    access: { member: 'manager' },
    summary: "Read one of a store's own domains",
    description: 'Its DNS status, and the `ETag` for a conditional removal.',
    ids: { ...store, domainId: 'domain' },
    answer: [200, Item],
  },
  deleteDomain: {
    method: 'DELETE',
    path: `${domains}/{domainId}`,
    access: { member: 'manager' },
    summary: 'Remove a domain',
    description: 'Within seconds the store is no longer shown there.',
    ids: { ...store, domainId: 'domain' },
    answer: [204, null],
  },
  findStoreAtDomain: {
    method: 'GET',
    path: '/internal/domains/{hostname}',
    access: 'service',
    summary: 'Find the store of a hostname; with `former`, also of a former one',
    query: formerQuery,
    answer: [
      200,
      Type.Object({
        store: Type.Object({ id: Type.String(), slug: Type.String() }),
        isFormer: Type.Boolean({
          description: 'Whether the store was shown there before, and no longer is.',
        }),
      }),
    ],
  },
});
