import { queryOptions } from '@tanstack/react-query';
import type { Model } from '@waybill/sdk';
import { api } from '../../api/client.ts';

export type Store = Model<'Store'>;
/** What of a store its managers change. */
export type StoreChange = Pick<Store, 'name' | 'slug' | 'currency' | 'locales' | 'checkout'>;

/** The store as it is stored, with the tag of the state that was read. */
export const settingsQuery = (storeId: string) =>
  queryOptions({
    queryKey: ['stores', storeId, 'settings'],
    queryFn: async ({ signal }) => {
      const response = await api.fetch(`/api/stores/${storeId}`, { signal });
      const { store } = (await response.json()) as { store: Store };
      return { store, etag: response.headers.get('etag') };
    },
  });

export const domainsKey = (storeId: string) => ['stores', storeId, 'domains'];

/** The first hundred; read again while one waits for its DNS record. */
export const domainsQuery = (storeId: string) =>
  queryOptions({
    queryKey: domainsKey(storeId),
    queryFn: ({ signal }) =>
      api.get('/api/stores/{storeId}/domains', {
        params: { path: { storeId }, query: { limit: 100 } },
        signal,
      }),
    refetchInterval: ({ state }) =>
      state.data?.domains.some((domain) => domain.state === 'pending') ? 10_000 : false,
  });

/** What the store may have, and how much of it is used. */
export const limitsQuery = (storeId: string) =>
  queryOptions({
    queryKey: ['stores', storeId, 'limits'],
    queryFn: ({ signal }) =>
      api.get('/api/stores/{storeId}/limits', { params: { path: { storeId } }, signal }),
  });

/** What one is mailed of in the store. */
export const notificationQuery = (storeId: string) =>
  queryOptions({
    queryKey: ['stores', storeId, 'notification'],
    queryFn: async ({ signal }) => {
      const params = { query: { storeId } };
      const { notifications } = await api.get('/api/me/notifications', { params, signal });
      return notifications[0] ?? { storeId, orderCreated: false };
    },
  });

/** The settings of those names, as they are stored. */
export const changeOf = <Key extends keyof StoreChange>(
  store: Store,
  keys: readonly Key[],
): Pick<StoreChange, Key> =>
  Object.fromEntries(keys.map((key) => [key, store[key]])) as Pick<StoreChange, Key>;

/** The settings that differ: what somebody else changes meanwhile in others stays theirs. */
export const differing = <Some extends object>(value: Some, stored: Some): Partial<Some> =>
  Object.fromEntries(
    Object.entries(value).filter(
      ([key, part]) => JSON.stringify(part) !== JSON.stringify(stored[key as keyof Some]),
    ),
  ) as Partial<Some>;
