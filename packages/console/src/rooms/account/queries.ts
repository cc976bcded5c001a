import { queryOptions } from '@tanstack/react-query';
import type { Model } from '@waybill/sdk';
import { api } from '../../api/client.ts';

export type Session = Model<'Session'>;

export const sessionsQuery = queryOptions({
  queryKey: ['me', 'sessions'],
  queryFn: async ({ signal }) => (await api.get('/api/me/sessions', { signal })).sessions,
});
