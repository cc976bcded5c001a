import { queryOptions } from '@tanstack/react-query';
import type { Model } from '@waybill/sdk';
import { api } from '../../api/client.ts';
import type { ListSearch } from '../../api/list.ts';
import { ordersKey } from './queries.ts';

export type Return = Model<'Return'>;
export type ReturnSearch = ListSearch & { state?: string };

/** Reads a page of the returns of all orders, newest first. */
export function readReturns(storeId: string, { state, after }: ReturnSearch, signal: AbortSignal) {
  const query = {
    limit: 20,
    ...(state && { state: state as Return['state'] }),
    ...(after && { after }),
  };
  return api.get('/api/stores/{storeId}/returns', { params: { path: { storeId }, query }, signal });
}

/** Reads the fields of an order that the list of returns shows. */
export const orderOfReturnQuery = (storeId: string, id: string) =>
  queryOptions({
    queryKey: [...ordersKey(storeId), id, 'of-return'],
    queryFn: async ({ signal }) =>
      (
        await api.get('/api/stores/{storeId}/orders/{id}', {
          params: { path: { storeId, id }, query: { fields: 'number,customer.name,customer.email' } },
          signal,
        })
      ).order,
    staleTime: 60_000,
  });

/** Maximum number of entries read per list of an order; few orders have more. */
const limit = 100;

const createQueryKey = (storeId: string, id: string, part: string) => [...ordersKey(storeId), id, part];

export const fulfillmentsQuery = (storeId: string, id: string) =>
  queryOptions({
    queryKey: createQueryKey(storeId, id, 'fulfillments'),
    queryFn: ({ signal }) =>
      api.get('/api/stores/{storeId}/orders/{id}/fulfillments', {
        params: { path: { storeId, id }, query: { limit } },
        signal,
      }),
  });

export const refundsQuery = (storeId: string, id: string) =>
  queryOptions({
    queryKey: createQueryKey(storeId, id, 'refunds'),
    queryFn: ({ signal }) =>
      api.get('/api/stores/{storeId}/orders/{id}/refunds', {
        params: { path: { storeId, id }, query: { limit } },
        signal,
      }),
  });

export const returnsQuery = (storeId: string, id: string) =>
  queryOptions({
    queryKey: createQueryKey(storeId, id, 'returns'),
    queryFn: ({ signal }) =>
      api.get('/api/stores/{storeId}/orders/{id}/returns', {
        params: { path: { storeId, id }, query: { limit } },
        signal,
      }),
  });

export const documentsQuery = (storeId: string, id: string) =>
  queryOptions({
    queryKey: createQueryKey(storeId, id, 'documents'),
    queryFn: ({ signal }) =>
      api.get('/api/stores/{storeId}/orders/{id}/documents', {
        params: { path: { storeId, id }, query: { limit } },
        signal,
      }),
  });

export const notesQuery = (storeId: string, orderId: string) =>
  queryOptions({
    queryKey: createQueryKey(storeId, orderId, 'notes'),
    queryFn: ({ signal }) =>
      api.get('/api/stores/{storeId}/orders/{orderId}/notes', {
        params: { path: { storeId, orderId }, query: { limit } },
        signal,
      }),
  });

export const mailsQuery = (storeId: string, orderId: string) =>
  queryOptions({
    queryKey: createQueryKey(storeId, orderId, 'mails'),
    queryFn: ({ signal }) =>
      api.get('/api/stores/{storeId}/order-mails/{orderId}', {
        params: { path: { storeId, orderId } },
        signal,
      }),
  });

/** Reads the newest audit entries of the store. `updatedAt` is part of the key, so a changed order reads them again. */
export const auditQuery = (storeId: string, updatedAt: string) =>
  queryOptions({
    queryKey: ['stores', storeId, 'audit', 'newest', updatedAt],
    queryFn: ({ signal }) =>
      api.get('/api/stores/{storeId}/audit', {
        params: { path: { storeId }, query: { limit: 200 } },
        signal,
      }),
  });

/** Reads the audit entries of a period. */
export const auditAtQuery = (storeId: string, { since, until }: { since: string; until: string }) =>
  queryOptions({
    queryKey: ['stores', storeId, 'audit', 'at', since, until],
    queryFn: async ({ signal }) =>
      (
        await api.get('/api/stores/{storeId}/audit', {
          params: { path: { storeId }, query: { since, until, limit: 200 } },
          signal,
        })
      ).entries,
    // Past entries never change.
    staleTime: Number.POSITIVE_INFINITY,
  });

/**
 * Returns the keys of all queries that an after-sale change affects: the order and its parts, payments, stock and the
 * customer's spending.
 */
export const afterSaleQueryKeys = (storeId: string) =>
  ['orders', 'payments', 'products', 'customers', 'audit'].map((part) => ['stores', storeId, part]);
