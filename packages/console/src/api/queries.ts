import { QueryCache, QueryClient } from '@tanstack/react-query';
import { isWaybillError } from '@waybill/sdk';
import { isPassing } from './client.ts';

/** What has been read of the API. What a change touches is read again, and what is old when somebody looks. */
export const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError(error, { queryKey: [resource, storeId, part] }) {
      if (resource !== 'stores' || part === undefined) return;
      // Somebody may have taken the role away, or the membership: what may still be done here is the store's to say.
      if (isWaybillError(error, 'insufficient_role') || isWaybillError(error, 'not_found'))
        void queries.invalidateQueries({ queryKey: [resource, storeId], exact: true });
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // What the browser says of its network says nothing of a server on the same machine.
      networkMode: 'always',
      // The client has tried already.
      retry: false,
      refetchOnWindowFocus: (query) => !isPassing(query.state.error),
    },
    mutations: { networkMode: 'always' },
  },
});
