import { queryOptions } from '@tanstack/react-query';
import type { Model } from '@waybill/sdk';
import { api } from '../../api/client.ts';
import type { ListSearch } from '../../api/list.ts';
import { readTagged } from '../../api/tagged.ts';

export type Media = Model<'Media'>;
export type Folder = Model<'MediaFolder'>;
export type MediaSearch = ListSearch & { folderId?: string; kind?: string; trashed?: string };

/** An item that uses a file. */
export interface Use {
  type: 'page' | 'article' | 'product' | 'category' | 'section' | 'template' | 'theme' | 'order' | 'customer';
  id: string;
  name: string;
  live: boolean;
}

export const mediaKey = (storeId: string) => ['stores', storeId, 'media'];
export const foldersKey = (storeId: string) => ['stores', storeId, 'media-folders'];

/** Reads a page of the store's files. A search at the root covers all folders; the trash has no folders. */
export function readMedia(storeId: string, search: MediaSearch, signal: AbortSignal) {
  const { folderId, trashed, ...rest } = search;
  const isEverywhere = trashed !== undefined || search.q !== undefined || search.kind !== undefined;
  const folder = folderId ?? (isEverywhere ? undefined : 'root');
  const query = {
    limit: 60,
    ...rest,
    ...(folder && { folderId: folder }),
    ...(trashed && { trashed: true }),
  } as { limit: number; kind?: Media['kind']; sort?: 'created' };
  return api.get('/api/stores/{storeId}/media', { params: { path: { storeId }, query }, signal });
}

/** Reads a file with its ETag. */
export const fileQuery = (storeId: string, id: string) =>
  queryOptions({
    queryKey: [...mediaKey(storeId), id],
    queryFn: ({ signal }) => readTagged<{ media: Media }>(`/api/stores/${storeId}/media/${id}`, signal),
  });

export const usageQuery = (storeId: string, id: string) =>
  queryOptions({
    queryKey: [...mediaKey(storeId), id, 'usage'],
    queryFn: async ({ signal }) =>
      (
        await api.get('/api/stores/{storeId}/media/{id}/usage', {
          params: { path: { storeId, id } },
          signal,
        })
      ).usage,
  });

export const quotaQuery = (storeId: string) =>
  queryOptions({
    queryKey: [...mediaKey(storeId), 'quota'],
    queryFn: async ({ signal }) =>
      (await api.get('/api/stores/{storeId}/media/quota', { params: { path: { storeId } }, signal })).quota,
  });

/** A folder of the tree with its depth, 0 at the root. */
export interface FolderAtDepth extends Folder {
  depth: number;
}

/** Reads all folders, parents before their children. */
export const foldersQuery = (storeId: string) =>
  queryOptions({
    queryKey: foldersKey(storeId),
    queryFn: async ({ signal }) => {
      const answer = await api.get('/api/stores/{storeId}/media-folders', {
        params: { path: { storeId } },
        signal,
      });
      return flattenFolders(answer.mediaFolders, 0);
    },
    staleTime: 30_000,
  });

const flattenFolders = (folders: readonly Folder[], depth: number): FolderAtDepth[] =>
  folders.flatMap((folder) => [{ ...folder, depth }, ...flattenFolders(folder.children, depth + 1)]);

/** Returns the path from the root to a folder, which comes last; empty for an unknown folder. */
export function folderPath(places: readonly FolderAtDepth[], id: string | undefined): FolderAtDepth[] {
  const place = places.find((candidate) => candidate.id === id);
  return place ? [...folderPath(places, place.parentId ?? undefined), place] : [];
}
