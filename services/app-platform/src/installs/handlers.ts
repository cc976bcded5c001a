import type { Handlers, RouteRequest } from '@waybill/kernel';
import { requireApp } from '../apps/apps.ts';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { toInstall } from '../lifecycle/lifecycle.ts';
import { buildAddresses } from '../oauth/addresses.ts';
import type { Tables } from '../tables.ts';
import { createChoice, findChoiceForUnapproved } from './development.ts';
import {
  authorizeApp,
  consentToVersion,
  installApp,
  rollBack,
  setInstallEnabled,
  uninstallApp,
} from './installs.ts';
import {
  findAppPayments,
  findInstall,
  listAvailableApps,
  listInstalls,
  listInstallsOfApp,
  listRights,
} from './queries.ts';
import type { AppInstall, routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes, Tables> => ({
  async listInstalls({ storeId, query }) {
    const { rows, ...list } = await listInstalls(context.db, storeId, query);
    return { apps: rows.map(toInstall), ...list };
  },
  async listInstallsOfApp({ principal, params, query }) {
    const app = await requireApp(context, params, principal.userId);
    const { rows, ...list } = await listInstallsOfApp(context.db, app, query);
    return {
      installs: rows.map(
        (row): AppInstall => ({
          id: row.id,
          storeId: row.store_id,
          versionId: row.version_id,
          versionNumber: row.version_number,
          state: app.suspended_at && row.state !== 'uninstalled' ? 'suspended' : row.state,
          installedAt: row.created_at.toISOString(),
          updatedAt: row.updated_at.toISOString(),
        }),
      ),
      ...list,
    };
  },
  async getInstall({ storeId, params, db }) {
    const row = await findInstall(db, storeId, params.appId);
    if (!row) throw errors.not_found();
    return { install: toInstall(row) };
  },
  async installApp(request) {
    const { body, storeId, principal, idempotentWrite } = request;
    await idempotentWrite.begin(body);
    const { versionId } = body;
    const choice =
      versionId === undefined ? null : await createChoice(context, storeId, principal.userId, versionId);
    return idempotentWrite.commit(async (write) => {
      const merchant = toMerchant(context, request);
      const { row, redirectTo } = await installApp(write, context, merchant, body, choice);
      return { install: toInstall(row), ...(redirectTo && { redirectTo }) };
    });
  },
  async authorizeApp(request) {
    const { body, idempotentWrite } = request;
    await idempotentWrite.begin(body);
    const merchant = toMerchant(context, request);
    const choice = body.decline ? null : await findChoiceForUnapproved(context, merchant);
    return idempotentWrite.commit(async (write) => ({
      redirectTo: await authorizeApp(write, context, merchant, body, choice),
    }));
  },
  uninstallApp: {
    write: ({ storeId, params }, write) => uninstallApp(write, context, storeId, params.appId),
  },
  consentToVersion: {
    write: async ({ storeId, params, body }, write) => ({
      install: toInstall(await consentToVersion(write, context, storeId, params.appId, body)),
    }),
  },
  rollBack: {
    write: async ({ storeId, params, body }, write) => ({
      install: toInstall(await rollBack(write, context, storeId, params.appId, body)),
    }),
  },
  disableApp: {
    write: async ({ storeId, params }, write) => ({
      install: toInstall(await setInstallEnabled(write, context, storeId, params.appId, 'disabled')),
    }),
  },
  enableApp: {
    write: async ({ storeId, params }, write) => ({
      install: toInstall(await setInstallEnabled(write, context, storeId, params.appId, 'installed')),
    }),
  },
  listAvailableApps: async ({ params, query }) => ({
    apps: await listAvailableApps(context.db, params.storeId, query.known?.split(',') ?? []),
  }),
  lookUpPayments: async ({ body }) => ({
    payments: await findAppPayments(context.db, body.storeId, body.appId),
  }),
  lookUpRights: async ({ body }) => ({ rights: await listRights(context.db, body.holders) }),
});

function toMerchant(
  { config }: Context,
  { principal, storeId, params, headers }: RouteRequest<(typeof routes)['installApp' | 'authorizeApp']>,
) {
  const { issuer } = buildAddresses(config, headers);
  return { storeId, appId: params.appId, userId: principal.userId, issuer };
}
