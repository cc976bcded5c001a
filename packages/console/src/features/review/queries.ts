import { queryOptions } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { asPage } from '../../shell/draw.ts';

export const reviewKey = ['review'];

/** Reads a version as a reviewer sees it (`decisions.md 14.9`). */
export const reviewQuery = (versionId: string) =>
  queryOptions({
    queryKey: [...reviewKey, versionId],
    queryFn: ({ signal }) => readVersion(versionId, signal),
  });

const readVersion = async (versionId: string, signal: AbortSignal) =>
  (await api.get('/api/review/versions/{versionId}', { params: { path: { versionId } }, signal })).version;

export type ReviewedVersion = Awaited<ReturnType<typeof readVersion>>;

/** Reads the renderings of a version's blocks, before and after. */
export const renderingsQuery = (versionId: string) =>
  queryOptions({
    queryKey: [...reviewKey, versionId, 'renderings'],
    async queryFn({ signal }) {
      const params = { path: { versionId } };
      const { renderings } = await api.get('/api/review/versions/{versionId}/renderings', { params, signal });
      return Promise.all(
        renderings.map(async ({ before, after, ...rest }) => ({
          ...rest,
          before: before && (await asPage(before)),
          after: after && (await asPage(after)),
        })),
      );
    },
    // A version does not change during its review.
    staleTime: 300_000,
  });

/** Reads the source of an island's module. */
export const moduleQuery = (versionId: string, name: string) =>
  queryOptions({
    queryKey: [...reviewKey, versionId, 'modules', name],
    queryFn: async ({ signal }) =>
      (
        await api.fetch(`/api/review/versions/${versionId}/islands/module?${new URLSearchParams({ name })}`, {
          signal,
        })
      ).text(),
    staleTime: 300_000,
  });
