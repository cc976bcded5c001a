import { queryOptions } from '@tanstack/react-query';
import type { Model } from '@waybill/sdk';
import { api } from '../../api/client.ts';
import type { ListSearch } from '../../api/list.ts';

export type Entry = Model<'AuditEntry'>;
export type AuditSearch = ListSearch & { actor?: string; action?: string };

export const auditKey = (storeId: string) => ['stores', storeId, 'audit'];

/** A page of the audit, newest first, `decisions.md 15.6`. */
export function readAudit(storeId: string, { after, actor, action }: AuditSearch, signal: AbortSignal) {
  const query = {
    limit: 50,
    ...(after && { after }),
    ...(actor && { actor }),
    ...(action && { action: action as Entry['action'] }),
  };
  return api.get('/api/stores/{storeId}/audit', { params: { path: { storeId }, query }, signal });
}

/** Whose entries can be asked for: the first members. Others are found by their entries. */
export const actorsQuery = (storeId: string) =>
  queryOptions({
    queryKey: ['stores', storeId, 'members', 'actors'],
    queryFn: async ({ signal }) => {
      const params = { path: { storeId }, query: { limit: 100 } };
      return (await api.get('/api/stores/{storeId}/members', { params, signal })).members;
    },
  });
