import { queryOptions } from '@tanstack/react-query';
import type { Model } from '@waybill/sdk';
import { api } from '../../api/client.ts';

export type Taxes = Model<'Taxes'>;
export type TaxRate = Taxes['rates'][number];
export type Shipping = Model<'Shipping'>;
export type Zone = Shipping['zones'][number];
export type Rate = Zone['rates'][number];

export const taxesKey = (storeId: string) => ['stores', storeId, 'taxes'];
export const shippingKey = (storeId: string) => ['stores', storeId, 'shipping'];

/** Reads the tax settings with their ETag. */
export const taxesQuery = (storeId: string) =>
  queryOptions({
    queryKey: taxesKey(storeId),
    queryFn: async ({ signal }) => {
      const response = await api.fetch(`/api/stores/${storeId}/taxes`, { signal });
      const { taxes } = (await response.json()) as { taxes: Taxes };
      return { taxes, etag: response.headers.get('etag') };
    },
  });

export const shippingQuery = (storeId: string) =>
  queryOptions({
    queryKey: shippingKey(storeId),
    queryFn: async ({ signal }) => {
      const response = await api.fetch(`/api/stores/${storeId}/shipping`, { signal });
      const { shipping } = (await response.json()) as { shipping: Shipping };
      return { shipping, etag: response.headers.get('etag') };
    },
  });

/** Reads products for sample orders. */
export const samplesQuery = (storeId: string) =>
  queryOptions({
    queryKey: ['stores', storeId, 'products', 'samples'],
    queryFn: ({ signal }) =>
      api.get('/api/stores/{storeId}/products', {
        params: { path: { storeId }, query: { status: 'active', limit: 20 } },
        signal,
      }),
  });
