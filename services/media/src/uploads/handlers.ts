import type { Handlers } from '@waybill/kernel';
import { toMedia } from '../assets/assets.ts';
import type { Asset } from '../assets/queries.ts';
import type { Context } from '../state.ts';
import { requireStore } from '../store.ts';
import type { routes } from './routes.ts';
import { createUploads } from './uploads.ts';

export function handlers(context: Context): Handlers<typeof routes> {
  const { config } = context;
  const upload = createUploads(context);
  const answer = (asset: Asset) => ({ media: toMedia(asset, config.baseUrl) });
  return {
    async uploadMedia({ storeId, stream, headers, idempotentWrite }) {
      return upload(requireStore(config), { storeId, stream, headers, idempotentWrite, answer });
    },
  };
}
