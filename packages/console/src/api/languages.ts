import { queryOptions } from '@tanstack/react-query';
import { api } from './client.ts';

/**
 * The languages of a store: its default and the others. They come from its settings. Without these, they are English
 * and the languages the store has texts in, which only the server knows.
 */
export const languagesQuery = (storeId: string) =>
  queryOptions({
    // Under the key of translations, because a new translation may be the first in its language.
    queryKey: ['stores', storeId, 'translations', 'languages'],
    queryFn: async ({ signal }) =>
      (
        await api.get('/api/stores/{storeId}/translations/languages', {
          params: { path: { storeId } },
          signal,
        })
      ).languages,
  });
