import { AuditEntry, auditActions, errors, mostAuditEntries } from '@waybill/contracts';
import { after, defineRoutes, instantFilter, nullable } from '@waybill/kernel';
import Type, { type Static } from 'typebox';

const AuditFilter = Type.Object({
  actor: Type.Optional(
    Type.String({
      maxLength: 60,
      description: 'The id of a user, an API key or an app; or `system`. Empty: anybody.',
    }),
  ),
  action: Type.Optional(Type.Enum(auditActions)),
  since: instantFilter('What was done then or later.'),
  until: instantFilter('What was done before then.'),
  ...after,
  limit: Type.Integer({
    minimum: 1,
    maximum: mostAuditEntries,
    default: 50,
    description: `A larger value counts as ${mostAuditEntries}.`,
  }),
});
export type AuditFilter = Static<typeof AuditFilter>;

const AuditPage = Type.Object({
  entries: Type.Array(AuditEntry),
  nextCursor: nullable(Type.String({ description: 'Null at the end.' })),
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
      'Of 365 days. Where a part of it cannot be read at present there is no answer, rather than less.',
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
    description: 'For owners; of 365 days. Reviews of its apps are among it.',
    ids: { orgId: 'organisation' },
    query: AuditFilter,
    answer: [200, AuditPage],
    errors: [errors.insufficient_role, errors.resource_unavailable],
  },
});
