import type { Handlers } from '@waybill/kernel';
import { requireApp } from '../apps/apps.ts';
import type { Context } from '../config.ts';
import type { Tables } from '../tables.ts';
import { requireVersion } from '../versions/versions.ts';
import { deleteApp, deleteOrg, deleteVersion } from './deletions.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes, Tables> => ({
  deleteVersion: {
    async write({ principal, params }, write) {
      await requireVersion({ db: write.trx }, params, principal.userId);
      await deleteVersion(write, params);
    },
  },
  deleteApp: {
    async write({ principal, params }, write) {
      await requireApp({ db: write.trx }, params, principal.userId);
      await deleteApp(write, context, params.appId);
    },
  },
  deleteOrg: ({ principal, params, idempotentWrite }) =>
    deleteOrg(context, params.orgId, principal.userId, idempotentWrite),
});
