import { queryOptions } from '@tanstack/react-query';
import type { Model } from '@waybill/sdk';
import { api } from '../../api/client.ts';
import type { ListSearch } from '../../api/list.ts';
import { readTagged } from '../../api/tagged.ts';
import { toPeriod } from '../../local-time.ts';

export type Payment = Model<'Payment'>;
export type PaymentMethod = Model<'StorePaymentMethod'>;
export type PaymentSearch = ListSearch & {
  status?: string;
  /** First and last day of the period, such as `2026-11-20`, in the browser's time zone. */
  since?: string;
  until?: string;
};

export const paymentsKey = (storeId: string) => ['stores', storeId, 'payments'];
export const methodsKey = (storeId: string) => ['stores', storeId, 'payment-methods'];

/** Reads a page of the store's payments, newest first. */
export function readPayments(
  storeId: string,
  { status, since, until, after }: PaymentSearch,
  signal: AbortSignal,
) {
  const query = {
    limit: 50,
    ...(status && { status: status as Payment['status'] }),
    ...toPeriod({ since, until }),
    ...(after && { after }),
  };
  return api.get('/api/stores/{storeId}/payments', { params: { path: { storeId }, query }, signal });
}

export type Difference = Model<'PaymentReconciliation'>['differences'][number];

/**
 * Reads the differences between Waybill's payments and the providers' lists. The server queries the providers again if
 * its result is old.
 */
export const reconciliationQuery = (storeId: string) =>
  queryOptions({
    queryKey: [...paymentsKey(storeId), 'reconciliation'],
    queryFn: ({ signal }) =>
      api.get('/api/stores/{storeId}/payment-reconciliation', { params: { path: { storeId } }, signal }),
    staleTime: 60_000,
  });

/** Reads the order of a payment. */
export const orderOfPaymentQuery = (storeId: string, id: string) =>
  queryOptions({
    queryKey: [...paymentsKey(storeId), id, 'order'],
    queryFn: async ({ signal }) => {
      const { payment } = await api.get('/api/stores/{storeId}/payments/{id}', {
        params: { path: { storeId, id }, query: { fields: 'orderId' } },
        signal,
      });
      const { order } = await api.get('/api/stores/{storeId}/orders/{id}', {
        params: { path: { storeId, id: payment.orderId }, query: { fields: 'number' } },
        signal,
      });
      return order;
    },
    staleTime: 60_000,
  });

/** Reads all payment methods of the store, in the order in which shoppers see them. */
export const methodsQuery = (storeId: string) =>
  queryOptions({
    queryKey: [...methodsKey(storeId), 'all'],
    queryFn: ({ signal }) =>
      api.get('/api/stores/{storeId}/payment-methods', {
        params: { path: { storeId }, query: { limit: 200 } },
        signal,
      }),
  });

export interface Read {
  paymentMethod: PaymentMethod;
  etag: string | null;
}

/** Reads a payment method with its ETag. */
export const methodQuery = (storeId: string, id: string) =>
  queryOptions({
    queryKey: [...methodsKey(storeId), id],
    queryFn: ({ signal }): Promise<Read> =>
      readTagged<{ paymentMethod: PaymentMethod }>(`/api/stores/${storeId}/payment-methods/${id}`, signal),
  });

/** The fields of the payment method form. */
export interface MethodDraft {
  provider: PaymentMethod['provider'];
  name: string;
  isEnabled: boolean;
  capture: PaymentMethod['capture'];
  instructions: string;
  /** Empty: the stored secret is kept. */
  secretKey: string;
  webhookSecret: string;
  /** Empty: all countries. */
  countries: string[];
  minimumCents: number | null;
  maximumCents: number | null;
}

export const toDraft = (method: PaymentMethod): MethodDraft => ({
  provider: method.provider,
  name: method.name,
  isEnabled: method.isEnabled,
  capture: method.capture,
  instructions: method.instructions,
  secretKey: '',
  webhookSecret: '',
  countries: method.countries ?? [],
  minimumCents: method.minimumCents,
  maximumCents: method.maximumCents,
});

/** Builds the request body. Secrets that were not typed are left out and stay unchanged. */
export function buildBody(draft: MethodDraft) {
  const { name, isEnabled, capture, instructions, secretKey, webhookSecret, countries } = draft;
  const { minimumCents, maximumCents } = draft;
  return {
    name,
    isEnabled,
    instructions,
    countries: countries.length > 0 ? countries : null,
    minimumCents,
    maximumCents,
    ...(draft.provider !== 'manual' && { capture }),
    ...(secretKey.trim() && { secretKey: secretKey.trim() }),
    ...(webhookSecret.trim() && { webhookSecret: webhookSecret.trim() }),
  };
}
