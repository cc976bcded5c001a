import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import {
  managesStore,
  type Permission,
  type Role,
  rolePermissions,
  roles,
} from '@waybill/contracts/permissions';
import type { Model } from '@waybill/sdk';
import { api } from './client.ts';

/** Who is signed in, and where they may go. */
export interface Me {
  user: Model<'User'>;
  stores: { id: string; name: string; slug: string; role: Role; isDevelopment: boolean }[];
  orgs: { id: string; name: string; role: 'owner' | 'developer' }[];
  isReviewer: boolean;
}

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal }) => {
    const [{ user }, { stores }, { orgs }] = await Promise.all([
      api.get('/api/me', { signal }),
      api.get('/api/stores', { signal }),
      api.get('/api/orgs', { signal }),
    ]);
    return { user, stores, orgs, isReviewer: false } as unknown as Me;
  },
  staleTime: 60_000,
});

export const useMe = (): Me => useSuspenseQuery(meQuery).data;

export const storeQuery = (storeId: string) =>
  queryOptions({
    queryKey: ['stores', storeId],
    queryFn: async ({ signal }) =>
      (await api.get('/api/stores/{storeId}', { params: { path: { storeId } }, signal })).store,
    staleTime: 60_000,
  });

/** The store that the address names, with what its member may do there. */
export function useStore() {
  const storeId = useStoreId();
  const { data: store } = useSuspenseQuery(storeQuery(storeId));
  return { ...store, ...rightsOf(store.role) };
}

export function useStoreId(): string {
  return useParams({ strict: false, select: ({ storeId }: { storeId?: string }) => storeId! });
}

export function rightsOf(role: Role) {
  return {
    can: (permission: Permission) => rolePermissions[role].includes(permission),
    /** Keys, members, apps. */
    manages: managesStore(role),
    /** The lowest role that may do something. */
    roleFor: (permission: Permission): Role =>
      roles.find((candidate) => rolePermissions[candidate].includes(permission))!,
  };
}
