import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { ordersKey } from './queries.ts';

/** How many of each an order shows: few have more. */
const limit = 100;

const keyOf = (storeId: string, id: string, part: string) => [...ordersKey(storeId), id, part];

export const fulfillmentsQuery = (storeId: string, id: string) =>
  queryOptions({
    queryKey: keyOf(storeId, id, 'fulfillments'),
    queryFn: ({ signal }) =>
      api.get('/api/stores/{storeId}/orders/{id}/fulfillments', {
        params: { path: { storeId, id }, query: { limit } },
        signal,
      }),
  });

export const refundsQuery = (storeId: string, id: string) =>
  queryOptions({
    queryKey: keyOf(storeId, id, 'refunds'),
    queryFn: ({ signal }) =>
      api.get('/api/stores/{storeId}/orders/{id}/refunds', {
        params: { path: { storeId, id }, query: { limit } },
        signal,
      }),
  });

export const returnsQuery = (storeId: string, id: string) =>
  queryOptions({
    queryKey: keyOf(storeId, id, 'returns'),
    queryFn: ({ signal }) =>
      api.get('/api/stores/{storeId}/orders/{id}/returns', {
        params: { path: { storeId, id }, query: { limit } },
        signal,
      }),
  });

export const documentsQuery = (storeId: string, id: string) =>
  queryOptions({
    queryKey: keyOf(storeId, id, 'documents'),
    queryFn: ({ signal }) =>
      api.get('/api/stores/{storeId}/orders/{id}/documents', {
        params: { path: { storeId, id }, query: { limit } },
        signal,
      }),
  });

export const notesQuery = (storeId: string, orderId: string) =>
  queryOptions({
    queryKey: keyOf(storeId, orderId, 'notes'),
    queryFn: ({ signal }) =>
      api.get('/api/stores/{storeId}/orders/{orderId}/notes', {
        params: { path: { storeId, orderId }, query: { limit } },
        signal,
      }),
  });

/** All that a change after the sale touches: the order with its parts and payments, stock, what the customer has spent. */
export const touchedBy = (storeId: string) =>
  ['orders', 'payments', 'products', 'customers'].map((part) => ['stores', storeId, part]);
