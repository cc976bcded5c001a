import type { Handlers, ServiceContext } from '@waybill/kernel';
import type { Kysely } from 'kysely';
import type { Config } from '../config.ts';
import { errors } from '../errors.ts';
import type { Tables } from '../tables.ts';
import { changeAsset, folderFilter, toMedia } from './assets.ts';
import { type Asset, findAsset, listAssets, lookUpAssets, searchAssets, setTrashed } from './queries.ts';
import type { routes } from './routes.ts';

export function handlers(context: ServiceContext<Config, Tables>): Handlers<typeof routes, Tables> {
  const { config, db: pool } = context;
  const answer = (asset: Asset) => ({ media: toMedia(asset, config.baseUrl) });

  async function getAsset(db: Kysely<Tables>, storeId: string, id: string): Promise<Asset> {
    const asset = await findAsset(db, storeId, id);
    if (!asset) throw errors.not_found();
    return asset;
  }

  return {
    async listMedia({ storeId, query }) {
      const { rows, ...list } = await listAssets(pool, storeId, query, folderFilter(query.folderId));
      return { media: rows.map((asset) => toMedia(asset, config.baseUrl)), ...list };
    },
    async getMedia({ storeId, params, db }) {
      return answer(await getAsset(db, storeId, params.id));
    },
    updateMedia: {
      async write({ storeId, params, body }, context) {
        return answer(await changeAsset(context, storeId, params.id, body));
      },
    },
    trashMedia: {
      async write({ storeId, params }, { trx }) {
        await setTrashed(trx, storeId, params.id, true);
        await getAsset(trx, storeId, params.id);
      },
    },
    restoreMedia: {
      async write({ storeId, params }, { trx }) {
        await setTrashed(trx, storeId, params.id, false);
        return answer(await getAsset(trx, storeId, params.id));
      },
    },
    searchMedia: ({ body }) => searchAssets(pool, body.storeId, body.q),
    lookUpAssets: async ({ body }) => ({ assets: await lookUpAssets(pool, body.storeId, body.ids) }),
  };
}
