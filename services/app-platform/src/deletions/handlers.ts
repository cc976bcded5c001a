import type { Handlers } from '@waybill/kernel';
import { requireApp } from '../apps/apps.ts';
import type { Context } from '../config.ts';
import { requireVersion } from '../versions/versions.ts';
import { deleteApp, deleteOrg, deleteVersion } from './deletions.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  async deleteVersion({ principal, params }) {
    await requireVersion(context, params, principal.userId);
    await deleteVersion(context, params);
  },
  async deleteApp({ principal, params }) {
    await requireApp(context, params, principal.userId);
    await deleteApp(context, params.appId);
  },
  deleteOrg: ({ principal, params, once }) => deleteOrg(context, params.orgId, principal.userId, once),
});
