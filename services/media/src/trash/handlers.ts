import type { Handlers, ServiceContext } from '@waybill/kernel';
import { findAsset } from '../assets/queries.ts';
import type { Config } from '../config.ts';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import { purgeAssets } from './purge.ts';
import { readUsage } from './queries.ts';
import type { routes } from './routes.ts';
import { listUses, maxUsers, mergeUsers } from './uses.ts';

export const handlers = (context: ServiceContext<Config, Tables>): Handlers<typeof routes> => ({
  async getMediaUsage({ storeId, params }) {
    if (!(await findAsset(context.db, storeId, params.id))) throw errors.not_found();
    const query = { storeId, assetIds: [params.id], liveOnly: false, limit: maxUsers };
    return { usage: mergeUsers(await listUses(context.peers, query)) };
  },
  async purgeMedia({ storeId, body, idempotentWrite }) {
    await idempotentWrite.begin(body);
    await purgeAssets(context, storeId, body.ids, { force: body.force ?? false, idempotentWrite });
  },
  async getMediaQuota({ storeId }) {
    return { quota: { ...(await readUsage(context.db, storeId)), limit: context.config.quotaBytes } };
  },
});
