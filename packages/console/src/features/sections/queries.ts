import { queryOptions } from '@tanstack/react-query';
import type { Model } from '@waybill/sdk';
import { api } from '../../api/client.ts';
import type { ListSearch } from '../../api/list.ts';
import { readTagged } from '../../api/tagged.ts';
import { lookQuery } from '../../shell/draw.ts';

export type Section = Model<'Section'>;

export const sectionsKey = (storeId: string) => ['stores', storeId, 'sections'];

/** Reads a page of the store's sections, without their documents. */
export function readSections(storeId: string, search: ListSearch, signal: AbortSignal) {
  const query = { limit: 50, fields: 'name,savedAt,updatedAt', ...(search.after && { after: search.after }) };
  return api.get('/api/stores/{storeId}/sections', { params: { path: { storeId }, query }, signal });
}

/** Reads a section with its ETag. */
export const sectionQuery = (storeId: string, id: string) =>
  queryOptions({
    queryKey: [...sectionsKey(storeId), id],
    queryFn: ({ signal }) =>
      readTagged<{ section: Section }>(`/api/stores/${storeId}/sections/${id}`, signal),
  });

export const revisionsQuery = (storeId: string, sectionId: string) =>
  queryOptions({
    queryKey: [...sectionsKey(storeId), sectionId, 'revisions'],
    queryFn: ({ signal }) =>
      api.get('/api/stores/{storeId}/sections/{sectionId}/revisions', {
        params: { path: { storeId, sectionId }, query: { limit: 100 } },
        signal,
      }),
  });

/** Reads the pages, templates and other documents that use a section. */
export const usageQuery = (storeId: string, sectionId: string) =>
  queryOptions({
    queryKey: [...sectionsKey(storeId), sectionId, 'usage'],
    queryFn: async ({ signal }) =>
      (
        await api.get('/api/stores/{storeId}/sections/{sectionId}/usage', {
          params: { path: { storeId, sectionId } },
          signal,
        })
      ).usage,
  });

/** Reads the preview of the saved section or of a revision. */
export const sectionLookQuery = (storeId: string, sectionId: string, revisionId: string | null) =>
  lookQuery(
    [...sectionsKey(storeId), sectionId, 'states', revisionId],
    async (signal) => {
      const path = { storeId, sectionId };
      if (!revisionId)
        return (await api.get('/api/stores/{storeId}/sections/{sectionId}', { params: { path }, signal }))
          .section.document;
      const revision = '/api/stores/{storeId}/sections/{sectionId}/revisions/{revisionId}';
      return (await api.get(revision, { params: { path: { ...path, revisionId } }, signal })).document;
    },
    (document, signal) =>
      api.post('/api/stores/{storeId}/sections/{sectionId}/canvas', {
        params: { path: { storeId, sectionId } },
        body: { document: document as Model<'Document'> },
        signal,
      }),
  );

/** Reads the name of a page, section or article by its id. */
export async function readName(storeId: string, id: string, signal: AbortSignal): Promise<string> {
  const path = { storeId, id };
  if (id.startsWith('pag_'))
    return (await api.get('/api/stores/{storeId}/pages/{id}', { params: { path }, signal })).page.name;
  if (id.startsWith('art_'))
    return (await api.get('/api/stores/{storeId}/articles/{id}', { params: { path }, signal })).article.title;
  const answer = await api.get('/api/stores/{storeId}/sections/{sectionId}', {
    params: { path: { storeId, sectionId: id } },
    signal,
  });
  return answer.section.name;
}
