import type { Handlers } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { requireMember } from '../orgs/orgs.ts';
import { changeApp, createApp, replaceClientSecret, requireApp } from './apps.ts';
import { type AppRow, listAppNames, listApps } from './queries.ts';
import type { App, routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  async listApps({ principal, params, query }) {
    await requireMember(context, params.orgId, principal.userId);
    const { rows, ...list } = await listApps(context.db, params.orgId, query);
    return { apps: rows.map(toApp), ...list };
  },
  createApp: {
    guard: ({ principal, params }) => requireMember(context, params.orgId, principal.userId),
    async handle({ params, body }) {
      const { row, clientSecret } = await createApp(context, params.orgId, body);
      return { app: toApp(row), clientSecret };
    },
  },
  getApp: async ({ principal, params }) => ({
    app: toApp(await requireApp(context, params, principal.userId)),
  }),
  changeApp: {
    guard: ({ principal, params }) => requireApp(context, params, principal.userId),
    handle: async ({ params, body }) => ({ app: toApp(await changeApp(context, params.appId, body)) }),
  },
  async replaceClientSecret({ principal, params }) {
    await requireApp(context, params, principal.userId);
    const { row, clientSecret } = await replaceClientSecret(context, params.appId);
    return { app: toApp(row), clientSecret };
  },
  listAppNames: async ({ body }) => ({ apps: await listAppNames(context.db, body.ids) }),
});

export function toApp(row: AppRow): App {
  return {
    id: row.id,
    orgId: row.org_id,
    name: row.name,
    redirectUris: row.redirect_uris,
    suspendedAt: row.suspended_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}
