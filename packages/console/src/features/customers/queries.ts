import { queryOptions } from '@tanstack/react-query';
import type { Model } from '@waybill/sdk';
import { api } from '../../api/client.ts';
import type { ListSearch } from '../../api/list.ts';
import type { Address } from '../../shell/address.tsx';
import { changeOf, type FieldValues } from '../../shell/custom-fields/queries.ts';

export type Customer = Model<'Customer'>;

/** What of a customer is typed. */
export interface CustomerDraft {
  email: string;
  name: string;
  phone: string;
  tags: string[];
  addresses: Address[];
  customFields: FieldValues;
}

export const customersKey = (storeId: string) => ['stores', storeId, 'customers'];

/** A page of the store's customers, the newest first unless the address says otherwise. */
export function readCustomers(storeId: string, search: ListSearch, signal: AbortSignal) {
  const query = { limit: 50, ...search } as { limit: number; sort?: 'name' };
  return api.get('/api/stores/{storeId}/customers', { params: { path: { storeId }, query }, signal });
}

/** A customer, with the tag of the state that was read. */
/** What was read of a customer, and the tag of that state. */
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

/** The newest orders of a customer. */
export const ordersQuery = (storeId: string, customerId: string) =>
  queryOptions({
    queryKey: ['stores', storeId, 'orders', 'of', customerId],
    queryFn: ({ signal }) =>
      api.get('/api/stores/{storeId}/orders', {
        params: { path: { storeId }, query: { customerId, limit: 10 } },
        signal,
      }),
  });

/** What of a customer is written back. */
export const draftOf = ({ email, name, phone, tags, addresses, customFields }: Customer): CustomerDraft => ({
  email,
  name,
  tags,
  addresses,
  customFields,
  phone: phone ?? '',
});

/** `stored`: the values of custom fields of one that is not new. */
export const bodyOf = (
  { phone, customFields, ...draft }: CustomerDraft,
  stored?: FieldValues,
): Model<'CustomerInput'> => ({
  ...draft,
  customFields: changeOf(stored, customFields),
  addresses: draft.addresses as Model<'AddressInput'>[],
  phone: phone.trim() || null,
});
