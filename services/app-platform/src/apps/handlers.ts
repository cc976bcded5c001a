import { appIconPath } from '@waybill/contracts';
import type { Handlers } from '@waybill/kernel';
import type { Config, Context } from '../config.ts';
import { requireMember } from '../orgs/orgs.ts';
import type { Tables } from '../tables.ts';
import { changeApp, checkApp, createApp, replaceClientSecret, requireApp } from './apps.ts';
import { type AppRow, listAppNames, listApps } from './queries.ts';
import type { App, routes } from './routes.ts';
import { issueWebhookSecret, previousSecretExpiry } from './webhook.ts';

export const handlers = (context: Context): Handlers<typeof routes, Tables> => ({
  async listApps({ principal, params, query }) {
    await requireMember(context, params.orgId, principal.userId);
    const { rows, ...list } = await listApps(context.db, params.orgId, query);
    return { apps: rows.map((row) => toApp(context.config, row)), ...list };
  },
  createApp: {
    guard: ({ principal, params }) => requireMember(context, params.orgId, principal.userId),
    async handle({ params, body, idempotentWrite }) {
      await idempotentWrite.begin(body);
      await checkApp(context.config, body);
      return idempotentWrite.commit(async (write) => {
        const { row, clientSecret } = await createApp(write, params.orgId, body);
        return { app: toApp(context.config, row), clientSecret };
      });
    },
  },
  getApp: async ({ principal, params, db }) => ({
    app: toApp(context.config, await requireApp({ db }, params, principal.userId)),
  }),
  changeApp: {
    guard: ({ principal, params }) => requireApp(context, params, principal.userId),
    async handle({ params, body, idempotentWrite }) {
      await idempotentWrite.begin(body);
      await checkApp(context.config, body);
      return idempotentWrite.commit(async (write) => ({
        app: toApp(context.config, await changeApp(write, params.appId, body)),
      }));
    },
  },
  replaceClientSecret: {
    async write({ principal, params }, write) {
      await requireApp({ db: write.trx }, params, principal.userId);
      const { row, clientSecret } = await replaceClientSecret(write, params.appId);
      return { app: toApp(context.config, row), clientSecret };
    },
  },
  issueWebhookSecret: {
    guard: ({ principal, params }) => requireApp(context, params, principal.userId),
    async write({ params, body: { overlapHours = 24 } }, write) {
      const { row, secret } = await issueWebhookSecret(write, context, params.appId, overlapHours);
      return { app: toApp(context.config, row), secret };
    },
  },
  async findAppOfMember({ body: { userId, ...path } }) {
    const { id, name } = await requireApp(context, path, userId);
    return { app: { id, name } };
  },
  listAppNames: async ({ body }) => ({ apps: await listAppNames(context.db, body.ids) }),
});

/** Returns the public URL of an app's icon, or null when it has none. */
export const createIconUrl = (
  { publicBaseUrl }: Config,
  { icon_file }: Pick<AppRow, 'icon_file'>,
): string | null => icon_file && publicBaseUrl + appIconPath(icon_file);

/** Converts an app to the form that its organisation sees. */
export function toApp(config: Config, row: AppRow): App {
  return {
    id: row.id,
    orgId: row.org_id,
    name: row.name,
    redirectUris: row.redirect_uris,
    description: row.description,
    website: row.website,
    supportEmail: row.support_email,
    privacyUrl: row.privacy_url,
    installUrl: row.install_url,
    isListed: row.is_listed,
    iconUrl: createIconUrl(config, row),
    webhookUrl: row.webhook_url,
    webhookSecretIssuedAt: row.webhook_secret_issued_at?.toISOString() ?? null,
    previousWebhookSecretExpiresAt: previousSecretExpiry(row)?.toISOString() ?? null,
    suspendedAt: row.suspended_at?.toISOString() ?? null,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  };
}
