import { queryOptions } from '@tanstack/react-query';
import type { PageDocument } from '@waybill/page';
import type { Model } from '@waybill/sdk';
import { api } from '../../api/client.ts';
import { asPage, type Drawn } from '../../shell/draw.ts';
import type { PageStartWords } from '../../texts/en/page-starts.ts';
import { pagesKey } from './queries.ts';
import { everyStart, type StartFacts, type StartId, startDocument, startIds } from './starts.ts';

/** A start with its document and rendering. */
export interface DrawnStart extends Drawn {
  document: PageDocument;
}

/**
 * Reads the data that starts use. Products with pictures come first, because starts that show a single product take the
 * first one.
 */
async function readFacts(storeId: string, signal: AbortSignal): Promise<StartFacts> {
  const params = { path: { storeId } };
  const [{ products }, { media }] = await Promise.all([
    api.get('/api/stores/{storeId}/products', {
      params: { ...params, query: { status: 'active', limit: 50 } },
      signal,
    }),
    api.get('/api/stores/{storeId}/media', {
      params: { ...params, query: { kind: 'image', limit: 50 } },
      signal,
    }),
  ]);
  const sorted = products.toSorted((a, b) => Number(b.mediaIds.length > 0) - Number(a.mediaIds.length > 0));
  // A wide picture fits its place better than a product picture.
  const broad = media.find(({ width, height }) => width && height && width >= height * 1.3);
  return {
    productIds: sorted.map(({ id }) => id),
    pictureId: (broad ?? media[0])?.id ?? null,
  };
}

/** Reads all starts as they look in the store, with one request for all their data. */
export const startsQuery = (storeId: string, words: PageStartWords) =>
  queryOptions({
    queryKey: [...pagesKey(storeId), 'starts', words.blank],
    async queryFn({ signal }): Promise<Record<StartId, DrawnStart>> {
      const facts = await readFacts(storeId, signal).catch(() => ({ productIds: [], pictureId: null }));
      const [{ renderDocument }, { sources }] = await Promise.all([
        import('../../shell/renderer.ts'),
        // The `notFound` template has no data of its own, so its canvas works for any document.
        api.post('/api/stores/{storeId}/templates/{kind}/canvas', {
          params: { path: { storeId, kind: 'notFound' } },
          body: { document: everyStart(words, facts) as unknown as Model<'Document'> },
          signal,
        }),
      ]);
      type Sources = Parameters<typeof renderDocument>[1];
      const drawn = startIds.map(async (id) => {
        const document = startDocument(id, words, facts);
        const page = await asPage(renderDocument(document, sources as unknown as Sources));
        return [id, { document, ...page }] as const;
      });
      return Object.fromEntries(await Promise.all(drawn)) as Record<StartId, DrawnStart>;
    },
    staleTime: 60_000,
  });
