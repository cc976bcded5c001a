import { AuditEntry, auditActions, errors, maxAuditEntries } from '@waybill/contracts';
import { after, defineRoutes, instantFilter, nullable } from '@waybill/kernel';
import Type, { type Static } from 'typebox';

const AuditFilter = Type.Object({
  actor: Type.Optional(
    Type.String({
      maxLength: 60,
      description: 'The ID of a user, an API key or an app; or `system`. Empty: any actor.',
    }),
  ),
  action: Type.Optional(Type.Enum(auditActions)),
  since: instantFilter('Actions at this time or later.'),
  until: instantFilter('Actions before this time.'),
  ...after,
  limit: Type.Integer({
    minimum: 1,
    maximum: maxAuditEntries,
    default: 50,
    description: `Values above ${maxAuditEntries} count as ${maxAuditEntries}.`,
  }),
});
export type AuditFilter = Static<typeof AuditFilter>;

const AuditPage = Type.Object({
  entries: Type.Array(AuditEntry),
  nextCursor: nullable(Type.String({ description: 'Null on the last page.' })),
});
export type AuditPage = Static<typeof AuditPage>;

/** Routes of audits: `decisions.md 15.6`. */
export const routes = defineRoutes({
  listStoreAudit: {
    method: 'GET',
    path: '/api/stores/{storeId}/audit',
    access: { member: 'manager' },
    summary: "List a store's audit entries, newest first",
    description:
      'Covers 365 days. If part of the log cannot be read at the moment, the request fails rather than ' +
      'returning less.',
    ids: { storeId: 'store' },
    query: AuditFilter,
    answer: [200, AuditPage],
    errors: [errors.resource_unavailable],
  },
  listOrgAudit: {
    method: 'GET',
    path: '/api/orgs/{orgId}/audit',
    access: 'user',
    summary: "List an organisation's audit entries, newest first",
    description: 'For owners; covers 365 days. Includes reviews of its apps.',
    ids: { orgId: 'organisation' },
    query: AuditFilter,
    answer: [200, AuditPage],
    errors: [errors.insufficient_role, errors.resource_unavailable],
  },
});
