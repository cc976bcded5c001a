import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';

/** Reads the first members for the actor filter. Other actors are filtered from an entry's details. */
export const actorsQuery = (storeId: string) =>
  queryOptions({
    queryKey: ['stores', storeId, 'members', 'actors'],
    queryFn: async ({ signal }) => {
      const params = { path: { storeId }, query: { limit: 100 } };
      return (await api.get('/api/stores/{storeId}/members', { params, signal })).members;
    },
  });
