import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

/** Whose entries can be asked for: the first members. Others are found by their entries. */
export const actorsQuery = (storeId: string) =>
  queryOptions({
    queryKey: ['stores', storeId, 'members', 'actors'],
    queryFn: async ({ signal }) => {
      const params = { path: { storeId }, query: { limit: 100 } };
      return (await api.get('/api/stores/{storeId}/members', { params, signal })).members;
    },
  });
