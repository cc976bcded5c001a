import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import {
  managesStore,
  type Permission,
  type Role,
  rolePermissions,
  roles,
} from '@waybill/contracts/permissions';
import { isWaybillError } from '@waybill/sdk';
import { useParams } from '../router/router.tsx';
import { api } from './client.ts';
import { queries } from './queries.ts';

/** The signed-in user with their stores and organisations. */
export type Me = Awaited<ReturnType<typeof readMe>>;

const readMe = ({ signal }: { signal: AbortSignal }) => api.get('/api/me', { signal });

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: readMe,
  staleTime: 60_000,
});

/** Loads the signed-in user once, for decisions made before a screen is shown. */
export const loadMe = (): Promise<Me> => queries.ensureQueryData(meQuery);

export const useMe = (): Me => useSuspenseQuery(meQuery).data;

export const storeQuery = (storeId: string) =>
  queryOptions({
    queryKey: ['stores', storeId],
    queryFn: async ({ signal }) =>
      (await api.get('/api/stores/{storeId}', { params: { path: { storeId } }, signal })).store,
    staleTime: 60_000,
  });

/** Returns the store of the address and the rights of the user there. */
export function useStore() {
  const storeId = useStoreId();
  const { data: store, error } = useSuspenseQuery(storeQuery(storeId));
  // The user was removed or the store closed meanwhile, so nothing on the screen can work any more.
  if (isWaybillError(error, 'not_found')) throw error;
  return { ...store, ...getRoleRights(store.role) };
}

export function useStoreId(): string {
  return useParams<'storeId'>().storeId;
}

export function getRoleRights(role: Role) {
  return {
    can: (permission: Permission) => rolePermissions[role].includes(permission),
    /** Whether the role may manage API keys, members and apps. */
    manages: managesStore(role),
    /** Returns the lowest role with a permission. */
    roleFor: (permission: Permission): Role =>
      roles.find((candidate) => rolePermissions[candidate].includes(permission))!,
  };
}
