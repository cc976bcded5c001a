import { QueryCache, QueryClient } from '@tanstack/react-query';
import { isWaybillError } from '@waybill/sdk';
import { isTransientError } from './client.ts';

/**
 * The cache of everything read from the API. A mutation invalidates what it changes; stale data is read again when the
 * window gets the focus.
 */
export const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({
    onError(error, { queryKey: [resource, storeId, part] }) {
      if (resource !== 'stores' || part === undefined) return;
      // The role or the membership may have been revoked, so the store is read again.
      if (isWaybillError(error, 'insufficient_role') || isWaybillError(error, 'not_found'))
        void queries.invalidateQueries({ queryKey: [resource, storeId], exact: true });
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // The browser's network state says nothing about a server on the same machine.
      networkMode: 'always',
      // The client already retries.
      retry: false,
      refetchOnWindowFocus: (query) => !isTransientError(query.state.error),
    },
    mutations: { networkMode: 'always' },
  },
});
