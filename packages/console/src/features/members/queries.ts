import { queryOptions } from '@tanstack/react-query';
import type { Model } from '@waybill/sdk';
import { api } from '../../api/client.ts';
import type { ListSearch } from '../../api/list.ts';

export type Member = Model<'Member'>;
export type Invitation = Model<'Invitation'>;

export const membersKey = (storeId: string) => ['stores', storeId, 'members'];
export const invitationsKey = (storeId: string) => ['stores', storeId, 'invitations'];

/** Reads a page of the store's members, oldest first. */
export const readMembers = (storeId: string, { after }: ListSearch, signal: AbortSignal) =>
  api.get('/api/stores/{storeId}/members', {
    params: { path: { storeId }, query: { limit: 50, ...(after && { after }) } },
    signal,
  });

/** Reads all open invitations, at most 100 (`decisions.md 15.5`). */
export const invitationsQuery = (storeId: string) =>
  queryOptions({
    queryKey: invitationsKey(storeId),
    queryFn: async ({ signal }) => {
      const params = { path: { storeId }, query: { limit: 100 } };
      return (await api.get('/api/stores/{storeId}/invitations', { params, signal })).invitations;
    },
  });
