import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type { Model } from '@waybill/sdk';
import { api } from '../../api/client.ts';

export type Session = Model<'Session'>;

export const sessionsQuery = queryOptions({
  queryKey: ['me', 'sessions'],
  queryFn: async ({ signal }) => (await api.get('/api/me/sessions', { signal })).sessions,
});

export const signInsQuery = infiniteQueryOptions({
  queryKey: ['me', 'sign-ins'],
  initialPageParam: undefined as string | undefined,
  queryFn: ({ signal, pageParam: after }) =>
    api.get('/api/me/sign-ins', { params: { query: { limit: 10, ...(after && { after }) } }, signal }),
  getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
});
