import { queryOptions } from '@tanstack/react-query';
import type { Model } from '@waybill/sdk';
import { api } from '../../api/client.ts';
import type { ListSearch } from '../../api/list.ts';

export type Org = Model<'Org'>;
export type App = Model<'App'>;
export type AppVersion = Model<'AppVersion'>;
export type VersionDetails = Model<'AppVersionDetails'>;
export type OrgRole = Org['role'];

export const orgsKey = ['orgs'];
/** Key of everything read about an organisation. */
export const orgKey = (orgId: string) => [...orgsKey, orgId];
/** Key of everything read about an app. */
export const appKey = (orgId: string, appId: string) => [...orgKey(orgId), 'apps', appId];

/** Returns the query parameters of the page that the address names. */
export const toPageQuery = ({ after }: ListSearch) => ({ limit: 50, ...(after && { after }) });

export const orgQuery = (orgId: string) =>
  queryOptions({
    queryKey: [...orgKey(orgId), 'org'],
    queryFn: async ({ signal }) =>
      (await api.get('/api/orgs/{orgId}', { params: { path: { orgId } }, signal })).org,
  });

export const appQuery = (orgId: string, appId: string) =>
  queryOptions({
    queryKey: [...appKey(orgId, appId), 'app'],
    queryFn: async ({ signal }) =>
      (await api.get('/api/orgs/{orgId}/apps/{appId}', { params: { path: { orgId, appId } }, signal })).app,
  });

export const versionQuery = (orgId: string, appId: string, versionId: string) =>
  queryOptions({
    queryKey: [...appKey(orgId, appId), 'versions', versionId],
    queryFn: async ({ signal }) =>
      (
        await api.get('/api/orgs/{orgId}/apps/{appId}/versions/{versionId}', {
          params: { path: { orgId, appId, versionId } },
          signal,
        })
      ).version,
  });

/** Reads all development stores of an organisation, at most 20. */
export const storesQuery = (orgId: string) =>
  queryOptions({
    queryKey: [...orgKey(orgId), 'stores'],
    queryFn: async ({ signal }) =>
      (
        await api.get('/api/orgs/{orgId}/stores', {
          params: { path: { orgId }, query: { limit: 50 } },
          signal,
        })
      ).stores,
  });

/** Reads the first members of an organisation by name. */
export const orgMembersQuery = (orgId: string) =>
  queryOptions({
    queryKey: [...orgKey(orgId), 'members', 'first'],
    queryFn: async ({ signal }) =>
      (
        await api.get('/api/orgs/{orgId}/members', {
          params: { path: { orgId }, query: { limit: 100 } },
          signal,
        })
      ).members,
  });
