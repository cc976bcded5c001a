import { queryOptions } from '@tanstack/react-query';
import { isWaybillError, type Model } from '@waybill/sdk';
import { api } from '../../api/client.ts';
import type { ListSearch } from '../../api/list.ts';

export type Install = Model<'Install'>;
export type AppProfile = Model<'AppProfile'>;
export type BlockUse = Model<'BlockUse'>;
export type StoreVersion = Model<'StoreVersion'>;

/** Key of everything read about the apps of a store. */
export const installsKey = (storeId: string) => ['stores', storeId, 'apps'];

/** Reads a page of the apps that the store has or had installed. */
export const readInstalls = (storeId: string, { after }: ListSearch, signal: AbortSignal) =>
  api.get('/api/stores/{storeId}/apps', {
    params: { path: { storeId }, query: { limit: 200, ...(after && { after }) } },
    signal,
  });

/**
 * Reads an app of a store, or null if it was never installed. It searches the list, because reading a missing app would
 * be an error.
 */
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

/** Reads the public profile of an app, or null if no version can be installed or the app is suspended. */
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

/** Reads a page of the app directory. */
export const readDirectory = ({ q, after }: ListSearch, signal: AbortSignal) =>
  api.get('/api/apps', {
    params: { query: { limit: 24, ...(q && { q }), ...(after && { after }) } },
    signal,
  });

/** Reads the documents in which an app's blocks are used. */
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

/** Reads the latest hundred versions of an app that the store may see, newest first. */
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

/** Reads the blocks that a version would remove from pages. Null: the waiting version. */
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

/** Reads the latest actions of an app in a store. */
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
