import type { Handlers, ServiceContext } from '@waybill/kernel';
import { toMedia } from '../assets/assets.ts';
import type { Asset } from '../assets/queries.ts';
import type { Config } from '../config.ts';
import { requireStore } from '../store.ts';
import type { Tables } from '../tables.ts';
import type { routes } from './routes.ts';
import { createUploads } from './uploads.ts';

export function handlers(context: ServiceContext<Config, Tables>): Handlers<typeof routes> {
  const { config } = context;
  const upload = createUploads(context);
  const answer = (asset: Asset) => ({ media: toMedia(asset, config.baseUrl) });
  return {
    async uploadMedia({ storeId, stream, headers, once }) {
      return upload(requireStore(config), { storeId, stream, headers, once, answer });
    },
  };
}
