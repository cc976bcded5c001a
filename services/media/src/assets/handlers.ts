import type { Handlers, ServiceContext } from '@waybill/kernel';
import type { Config } from '../config.ts';
import { errors } from '../errors.ts';
import { requireStore } from '../store.ts';
import type { Tables } from '../tables.ts';
import { changeAsset, folderFilter, toMedia } from './assets.ts';
import { type Asset, findAsset, listAssets, lookUpAssets, searchAssets, setTrashed } from './queries.ts';
import type { routes } from './routes.ts';

export function handlers(context: ServiceContext<Config, Tables>): Handlers<typeof routes> {
  const { config, db, transaction } = context;
  const answer = (asset: Asset) => ({ media: toMedia(asset, config.baseUrl) });

  async function getAsset(storeId: string, id: string): Promise<Asset> {
    const asset = await findAsset(db, storeId, id);
    if (!asset) throw errors.not_found();
    return asset;
  }

  return {
    async listMedia({ storeId, query }) {
      requireStore(config);
      const { rows, ...list } = await listAssets(db, storeId, query, folderFilter(query.folderId));
      return { media: rows.map((asset) => toMedia(asset, config.baseUrl)), ...list };
    },
    async getMedia({ storeId, params }) {
      requireStore(config);
      return answer(await getAsset(storeId, params.id));
    },
    async updateMedia({ storeId, params, body }) {
      requireStore(config);
      return answer(await changeAsset(transaction, storeId, params.id, body));
    },
    async trashMedia({ storeId, params }) {
      requireStore(config);
      await setTrashed(db, storeId, params.id, true);
      await getAsset(storeId, params.id);
    },
    async restoreMedia({ storeId, params }) {
      requireStore(config);
      await setTrashed(db, storeId, params.id, false);
      return answer(await getAsset(storeId, params.id));
    },
    searchMedia: ({ body }) => searchAssets(db, body.storeId, body.q),
    lookUpAssets: async ({ body }) => ({ assets: await lookUpAssets(db, body.storeId, body.ids) }),
  };
}
