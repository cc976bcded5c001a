import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import {
  managesStore,
  type Permission,
  type Role,
  rolePermissions,
  roles,
} from '@waybill/contracts/permissions';
import { isWaybillError } from '@waybill/sdk';
import { api } from './client.ts';
import { queries } from './queries.ts';

/** Who is signed in, and where they may go. */
export type Me = Awaited<ReturnType<typeof readMe>>;

const readMe = ({ signal }: { signal: AbortSignal }) => api.get('/api/me', { signal });

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: readMe,
  staleTime: 60_000,
});

/** Who is signed in, read once: for what is decided before a screen is shown. */
export const loadMe = (): Promise<Me> => queries.ensureQueryData(meQuery);

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
  const { data: store, error } = useSuspenseQuery(storeQuery(storeId));
  // Of a member who was removed, or a store that was closed, meanwhile: nothing here leads anywhere any more.
  if (isWaybillError(error, 'not_found')) throw error;
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
