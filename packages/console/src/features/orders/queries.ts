import { queryOptions } from '@tanstack/react-query';
import type { Model } from '@waybill/sdk';
import { api } from '../../api/client.ts';
import type { ListSearch } from '../../api/list.ts';
import { toPeriod } from '../../local-time.ts';
import type { Tone } from '../../ui/layout.tsx';

export type Order = Model<'Order'>;
export type Payment = Model<'Payment'>;
export type Product = Model<'Product'>;
export type Customer = Model<'Customer'>;
export type Address = Model<'Address'>;
export type OrderSearch = ListSearch & {
  status?: string;
  payment?: string;
  fulfillment?: string;
  customerId?: string;
  /** First and last day of the period, such as `2026-11-20`, in the browser's time zone. */
  since?: string;
  until?: string;
};

export const ordersKey = (storeId: string) => ['stores', storeId, 'orders'];

export const statuses = ['open', 'completed', 'cancelled'] as const;
export const payments = [
  'pending',
  'authorized',
  'paid',
  'partially_refunded',
  'refunded',
  'voided',
] as const;
export const fulfillments = ['unfulfilled', 'partially_fulfilled', 'fulfilled', 'returned'] as const;

export const statusTones: Readonly<Record<Order['status'], Tone>> = {
  open: 'accent',
  completed: 'good',
  cancelled: 'neutral',
};
export const paymentTones: Readonly<Record<Order['payment'], Tone>> = {
  pending: 'warn',
  authorized: 'accent',
  paid: 'good',
  partially_refunded: 'neutral',
  refunded: 'neutral',
  voided: 'bad',
};
export const fulfillmentTones: Readonly<Record<Order['fulfillment'], Tone>> = {
  unfulfilled: 'warn',
  partially_fulfilled: 'accent',
  fulfilled: 'good',
  returned: 'neutral',
};

/**
 * Returns the payment states that an order can change to. After a payment it cannot become unpaid again (`decisions.md
 * 3.1`).
 */
export function paymentsFrom(payment: Order['payment']): readonly Order['payment'][] {
  const hasCome = ['paid', 'partially_refunded', 'refunded'].includes(payment);
  return hasCome ? payments.filter((next) => next !== 'pending' && next !== 'authorized') : payments;
}

/**
 * Converts the search to query parameters. Days become instants, and a period is sorted by creation time, which is
 * fastest.
 */
export function toOrderQuery({ since, until, ...search }: OrderSearch) {
  const period = toPeriod({ since, until });
  const query = {
    ...((period.since || period.until) && { sort: 'created' }),
    ...search,
    ...period,
  };
  return query as { status?: Order['status']; sort?: 'number'; since?: string; until?: string };
}

/** Reads a page of the store's orders, newest first by default. */
export function readOrders(storeId: string, search: OrderSearch, signal: AbortSignal) {
  const query = { limit: 50, ...toOrderQuery(search) };
  return api.get('/api/stores/{storeId}/orders', { params: { path: { storeId }, query }, signal });
}

/** Reads an order with its ETag. */
export const orderQuery = (storeId: string, id: string) =>
  queryOptions({
    queryKey: [...ordersKey(storeId), id],
    queryFn: async ({ signal }) => {
      const response = await api.fetch(`/api/stores/${storeId}/orders/${id}`, { signal });
      const { order } = (await response.json()) as { order: Order };
      return { order, etag: response.headers.get('etag') };
    },
  });

/** Reads the orders placed just before and after this one. */
export const neighboursQuery = (storeId: string, { id, number, createdAt }: Order) =>
  queryOptions({
    queryKey: [...ordersKey(storeId), id, 'neighbours'],
    queryFn: async ({ signal }) => {
      // Several orders may share a millisecond, so their numbers decide.
      const read = async (query: { since?: string; until?: string; dir: 'asc' | 'desc' }) =>
        (
          await api.get('/api/stores/{storeId}/orders', {
            params: {
              path: { storeId },
              query: { ...query, sort: 'created', limit: 5, fields: 'number' },
            },
            signal,
          })
        ).orders;
      const after = new Date(Date.parse(createdAt) + 1).toISOString();
      const [before, later] = await Promise.all([
        read({ until: after, dir: 'desc' }),
        read({ since: createdAt, dir: 'asc' }),
      ]);
      return {
        previous: before.find((other) => other.number < number) ?? null,
        next: later.find((other) => other.number > number) ?? null,
      };
    },
  });

/** Reads the address of a product's first picture, or null if it has none. */
export const pictureQuery = (storeId: string, productId: string) =>
  queryOptions({
    queryKey: ['stores', storeId, 'products', productId, 'picture'],
    queryFn: async ({ signal }) => {
      const { product } = await api.get('/api/stores/{storeId}/products/{id}', {
        params: { path: { storeId, id: productId }, query: { fields: 'media' } },
        signal,
      });
      return product.media[0]?.url ?? null;
    },
    staleTime: 60_000,
  });

/** Reads all payments of an order, newest first. */
export const orderPaymentsQuery = (storeId: string, id: string) =>
  queryOptions({
    queryKey: [...ordersKey(storeId), id, 'payments'],
    queryFn: ({ signal }) =>
      api.get('/api/stores/{storeId}/orders/{id}/payments', {
        params: { path: { storeId, id }, query: { limit: 200 } },
        signal,
      }),
  });

/** Reads the first customers that match. */
export const customersQuery = (storeId: string, q: string) =>
  queryOptions({
    queryKey: ['stores', storeId, 'customers', 'choices', q],
    queryFn: ({ signal }) =>
      api.get('/api/stores/{storeId}/customers', {
        params: { path: { storeId }, query: { limit: 10, ...(q && { q }) } },
        signal,
      }),
  });

export const customerQuery = (storeId: string, id: string) =>
  queryOptions({
    queryKey: ['stores', storeId, 'customers', id, 'chosen'],
    queryFn: async ({ signal }) =>
      (
        await api.get('/api/stores/{storeId}/customers/{id}', {
          params: { path: { storeId, id } },
          signal,
        })
      ).customer,
  });

/** Reads the first matching products that can be ordered. */
export const choicesQuery = (storeId: string, q: string) =>
  queryOptions({
    queryKey: ['stores', storeId, 'products', 'choices', q],
    queryFn: ({ signal }) =>
      api.get('/api/stores/{storeId}/products', {
        params: {
          path: { storeId },
          query: { limit: 10, status: 'active', sort: 'name', ...(q && { q }) },
        },
        signal,
      }),
  });
