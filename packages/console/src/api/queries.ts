import { QueryClient } from '@tanstack/react-query';
import { isPassing } from './client.ts';

/** What has been read of the API. What a change touches is read again, and what is old when somebody looks. */
export const queries = new QueryClient({
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
