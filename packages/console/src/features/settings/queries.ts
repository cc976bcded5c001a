import { queryOptions } from '@tanstack/react-query';
import type { Model } from '@waybill/sdk';
import { api } from '../../api/client.ts';

export type Store = Model<'Store'>;
/** The settings of a store that its managers can change. */
export type StoreChange = Pick<Store, 'name' | 'slug' | 'currency' | 'locales' | 'checkout'>;

/** Reads the stored settings with their ETag. */
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

/** Reads the first hundred domains, and polls while one of them waits for its DNS record. */
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

/** Reads the limits of the store and their usage. */
export const limitsQuery = (storeId: string) =>
  queryOptions({
    queryKey: ['stores', storeId, 'limits'],
    queryFn: ({ signal }) =>
      api.get('/api/stores/{storeId}/limits', { params: { path: { storeId } }, signal }),
  });

/** Reads the user's notification settings in the store. */
export const notificationQuery = (storeId: string) =>
  queryOptions({
    queryKey: ['stores', storeId, 'notification'],
    queryFn: async ({ signal }) => {
      const params = { query: { storeId } };
      const { notifications } = await api.get('/api/me/notifications', { params, signal });
      return notifications[0] ?? { storeId, orderCreated: false };
    },
  });

/** Returns the stored values of some settings. */
export const pickSettings = <Key extends keyof StoreChange>(
  store: Store,
  keys: readonly Key[],
): Pick<StoreChange, Key> =>
  Object.fromEntries(keys.map((key) => [key, store[key]])) as Pick<StoreChange, Key>;

/** Returns the changed settings only, so that others' changes to the rest are kept. */
export const differing = <Some extends object>(value: Some, stored: Some): Partial<Some> =>
  Object.fromEntries(
    Object.entries(value).filter(
      ([key, part]) => JSON.stringify(part) !== JSON.stringify(stored[key as keyof Some]),
    ),
  ) as Partial<Some>;
