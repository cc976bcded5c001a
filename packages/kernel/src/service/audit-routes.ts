import { AuditEntry, idPattern, maxAuditEntries } from '@waybill/contracts';
import Type from 'typebox';
import { listEntries } from '../db/audit.ts';
import { aggregate, defineRoutes } from '../http/route.ts';
import type { ServiceContext } from './definition.ts';

const defineAuditRoutes = (service: string) =>
  defineRoutes({
    listAuditEntries: {
      method: 'POST',
      path: `/internal/audit/${service}`,
      access: 'service',
      summary: "List the service's audit entries, for the gateway",
      body: Type.Object({
        ownerId: Type.String(),
        actor: Type.Optional(Type.String()),
        action: Type.Optional(Type.String()),
        since: Type.Optional(Type.String({ format: 'date-time' })),
        until: Type.Optional(Type.String({ format: 'date-time' })),
        before: Type.Optional(Type.String({ pattern: idPattern('auditEntry') })),
        limit: Type.Integer({ minimum: 1, maximum: maxAuditEntries + 1 }),
      }),
      answer: [200, Type.Object({ entries: Type.Array(AuditEntry) })],
    },
  });

/** The routes of audits that every service with a database has. */
export const auditAggregate = (service: string) =>
  aggregate(defineAuditRoutes(service), ({ db }: ServiceContext) => ({
    listAuditEntries: async ({ body }) => ({ entries: await listEntries(db, body) }),
  }));
