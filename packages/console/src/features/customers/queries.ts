import { queryOptions } from '@tanstack/react-query';
import type { Model } from '@waybill/sdk';
import { api } from '../../api/client.ts';
import type { ListSearch } from '../../api/list.ts';
import type { Address } from '../../shell/address.tsx';
import { type FieldValues, findChanges } from '../../shell/custom-fields/queries.ts';

export type Customer = Model<'Customer'>;

/** The fields of a customer that the form edits. */
export interface CustomerDraft {
  email: string;
  name: string;
  phone: string;
  tags: string[];
  addresses: Address[];
  customFields: FieldValues;
}

export const customersKey = (storeId: string) => ['stores', storeId, 'customers'];

/** Reads a page of the store's customers, newest first by default. */
export function readCustomers(storeId: string, search: ListSearch, signal: AbortSignal) {
  const query = { limit: 50, ...search } as { limit: number; sort?: 'name' };
  return api.get('/api/stores/{storeId}/customers', { params: { path: { storeId }, query }, signal });
}

/** A customer with the ETag of the version that was read. */
export interface Read {
  customer: Customer;
  etag: string | null;
}

export const customerQuery = (storeId: string, id: string) =>
  queryOptions({
    queryKey: [...customersKey(storeId), id],
    queryFn: async ({ signal }) => {
      const response = await api.fetch(`/api/stores/${storeId}/customers/${id}`, { signal });
      const { customer } = (await response.json()) as { customer: Customer };
      return { customer, etag: response.headers.get('etag') };
    },
  });

export const noteQuery = (storeId: string, customerId: string) =>
  queryOptions({
    queryKey: [...customersKey(storeId), customerId, 'note'],
    queryFn: async ({ signal }) => {
      const response = await api.fetch(`/api/stores/${storeId}/customers/${customerId}/note`, { signal });
      const { note } = (await response.json()) as { note: string };
      return { note, etag: response.headers.get('etag') };
    },
  });

/** Reads the newest orders of a customer. */
export const ordersQuery = (storeId: string, customerId: string) =>
  queryOptions({
    queryKey: ['stores', storeId, 'orders', 'of', customerId],
    queryFn: ({ signal }) =>
      api.get('/api/stores/{storeId}/orders', {
        params: { path: { storeId }, query: { customerId, limit: 10 } },
        signal,
      }),
  });

/** Returns the editable fields of a customer. */
export const toDraft = ({ email, name, phone, tags, addresses, customFields }: Customer): CustomerDraft => ({
  email,
  name,
  tags,
  addresses,
  customFields,
  phone: phone ?? '',
});

/** Builds the request body. `stored` holds the stored custom fields of an existing customer. */
export const buildBody = (
  { phone, customFields, ...draft }: CustomerDraft,
  stored?: FieldValues,
): Model<'CustomerInput'> => ({
  ...draft,
  customFields: findChanges(stored, customFields),
  addresses: draft.addresses as Model<'AddressInput'>[],
  phone: phone.trim() || null,
});
