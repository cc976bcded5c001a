import { queryOptions } from '@tanstack/react-query';
import { api } from './client.ts';

/**
 * The languages that a store is shown in: its own, and the others. Those of its settings; where these name none, English
 * and the first that it has texts in, which only the server knows.
 */
export const languagesQuery = (storeId: string) =>
  queryOptions({
    // Below the key of translations: one that is written may be the first of its language.
    queryKey: ['stores', storeId, 'translations', 'languages'],
    queryFn: async ({ signal }) =>
      (
        await api.get('/api/stores/{storeId}/translations/languages', {
          params: { path: { storeId } },
          signal,
        })
      ).languages,
  });
