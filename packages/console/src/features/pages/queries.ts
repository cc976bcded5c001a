import { queryOptions } from '@tanstack/react-query';
import { pages as allPages, type Model } from '@waybill/sdk';
import { api } from '../../api/client.ts';
import { readTagged } from '../../api/tagged.ts';
import { lookQuery } from '../../shell/draw.ts';

export type Page = Model<'Page'>;

export const pagesKey = (storeId: string) => ['stores', storeId, 'pages'];

/** Reads all pages of the store by position, because their order is shown as a whole. */
export const pagesQuery = (storeId: string) =>
  queryOptions({
    queryKey: [...pagesKey(storeId), 'all'],
    async queryFn({ signal }) {
      const found: Page[] = [];
      const read = (after: string | undefined) =>
        api.get('/api/stores/{storeId}/pages', {
          params: { path: { storeId }, query: { limit: 200, ...(after && { after }) } },
          signal,
        });
      for await (const { pages } of allPages(read)) found.push(...pages);
      return found.sort((one, other) => one.position - other.position);
    },
  });

/** Reads a page with its ETag. */
export const pageQuery = (storeId: string, id: string) =>
  queryOptions({
    queryKey: [...pagesKey(storeId), id],
    queryFn: ({ signal }) => readTagged<{ page: Page }>(`/api/stores/${storeId}/pages/${id}`, signal),
  });

export const revisionsQuery = (storeId: string, pageId: string) =>
  queryOptions({
    queryKey: [...pagesKey(storeId), pageId, 'revisions'],
    queryFn: ({ signal }) =>
      api.get('/api/stores/{storeId}/pages/{pageId}/revisions', {
        params: { path: { storeId, pageId }, query: { limit: 100 } },
        signal,
      }),
  });

/** Reads the draft of a page with its ETag. A copy of the page starts with it. */
export const readDraft = (storeId: string, pageId: string, signal?: AbortSignal) =>
  readTagged<{ document: Model<'Document'> }>(`/api/stores/${storeId}/pages/${pageId}/draft`, signal);

const readRevision = (storeId: string, pageId: string, revisionId: string, signal: AbortSignal) =>
  api.get('/api/stores/{storeId}/pages/{pageId}/revisions/{revisionId}', {
    params: { path: { storeId, pageId, revisionId } },
    signal,
  });

/** Reads the preview of the saved draft or of a revision, in a locale or untranslated. */
export const pageLookQuery = (
  storeId: string,
  pageId: string,
  revisionId: string | null,
  locale: string | undefined,
) =>
  lookQuery(
    [...pagesKey(storeId), pageId, 'states', revisionId, locale],
    async (signal) => {
      const state = revisionId
        ? readRevision(storeId, pageId, revisionId, signal)
        : readDraft(storeId, pageId, signal);
      return (await state).document;
    },
    (document, signal) =>
      api.post('/api/stores/{storeId}/pages/{pageId}/canvas', {
        params: { path: { storeId, pageId } },
        body: { document: document as Model<'Document'>, ...(locale && { locale }) },
        signal,
      }),
  );
