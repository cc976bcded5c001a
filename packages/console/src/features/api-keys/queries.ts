import type { Model } from '@waybill/sdk';
import { api } from '../../api/client.ts';
import type { ListSearch } from '../../api/list.ts';

export type ApiKey = Model<'ApiKey'>;

export const apiKeysKey = (storeId: string) => ['stores', storeId, 'api-keys'];

/** Reads a page of the store's API keys, newest first. */
export const readApiKeys = (storeId: string, { after }: ListSearch, signal: AbortSignal) =>
  api.get('/api/stores/{storeId}/api-keys', {
    params: { path: { storeId }, query: { limit: 50, ...(after && { after }) } },
    signal,
  });
