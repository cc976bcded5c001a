import { queryOptions } from '@tanstack/react-query';
import { isWaybillError, type Model } from '@waybill/sdk';
import { api } from '../../api/client.ts';
import type { ListSearch } from '../../api/list.ts';

export type Install = Model<'Install'>;
export type AppProfile = Model<'AppProfile'>;
export type BlockUse = Model<'BlockUse'>;
export type StoreVersion = Model<'StoreVersion'>;

/** What a store has installed, and all that is read of it. */
export const installsKey = (storeId: string) => ['stores', storeId, 'apps'];

/** A page of what a store has or had installed. */
export const readInstalls = (storeId: string, { after }: ListSearch, signal: AbortSignal) =>
  api.get('/api/stores/{storeId}/apps', {
    params: { path: { storeId }, query: { limit: 200, ...(after && { after }) } },
    signal,
  });

/** An app of a store; null: it never had it. Of the list, since asking for what is not there would be a failure. */
export const installQuery = (storeId: string, appId: string) =>
  queryOptions({
    queryKey: [...installsKey(storeId), appId, 'install'],
    async queryFn({ signal }): Promise<Install | null> {
      const { apps, nextCursor } = await readInstalls(storeId, {}, signal);
      const found = apps.find((install) => install.appId === appId);
      if (found || nextCursor === null) return found ?? null;
      return api
        .get('/api/stores/{storeId}/apps/{appId}', { params: { path: { storeId, appId } }, signal })
        .then(({ install }) => install)
        .catch(nullIfMissing);
    },
  });

/** What an app says of itself; null: it has no version that can be installed, or is suspended. */
export const profileQuery = (appId: string) =>
  queryOptions({
    queryKey: ['apps', appId, 'profile'],
    queryFn: ({ signal }): Promise<AppProfile | null> =>
      api
        .get('/api/apps/{appId}', { params: { path: { appId } }, signal })
        .then(({ app }) => app)
        .catch(nullIfMissing),
  });

function nullIfMissing(error: unknown): null {
  if (isWaybillError(error, 'not_found')) return null;
  throw error;
}

/** A page of the directory. */
export const readDirectory = ({ q, after }: ListSearch, signal: AbortSignal) =>
  api.get('/api/apps', {
    params: { query: { limit: 24, ...(q && { q }), ...(after && { after }) } },
    signal,
  });

/** Where an app's blocks stand in a store. */
export const usesQuery = (storeId: string, appId: string) =>
  queryOptions({
    queryKey: [...installsKey(storeId), appId, 'uses'],
    queryFn: async ({ signal }) =>
      (
        await api.get('/api/stores/{storeId}/apps/{appId}/uses', {
          params: { path: { storeId, appId } },
          signal,
        })
      ).uses,
  });

/** The versions of an app that a store may know, the newest first: the latest hundred. */
export const versionsQuery = (storeId: string, appId: string) =>
  queryOptions({
    queryKey: [...installsKey(storeId), appId, 'versions'],
    queryFn: async ({ signal }) =>
      (
        await api.get('/api/stores/{storeId}/apps/{appId}/versions', {
          params: { path: { storeId, appId }, query: { limit: 100 } },
          signal,
        })
      ).versions,
  });

/** The blocks that a change of version would take from pages; null: the version that waits. */
export const lossesQuery = (storeId: string, appId: string, versionId: string | null) =>
  queryOptions({
    queryKey: [...installsKey(storeId), appId, 'losses', versionId],
    async queryFn({ signal }) {
      const path = { storeId, appId };
      const { missingBlocks } = versionId
        ? await api.get('/api/stores/{storeId}/apps/{appId}/rollback', {
            params: { path, query: { versionId } },
            signal,
          })
        : await api.get('/api/stores/{storeId}/apps/{appId}/consent', { params: { path }, signal });
      return missingBlocks;
    },
  });

/** What an app did in a store lately. */
export const activityQuery = (storeId: string, appId: string) =>
  queryOptions({
    queryKey: [...installsKey(storeId), appId, 'activity'],
    queryFn: async ({ signal }) =>
      (
        await api.get('/api/stores/{storeId}/audit', {
          params: { path: { storeId }, query: { actor: appId, limit: 8 } },
          signal,
        })
      ).entries,
  });
