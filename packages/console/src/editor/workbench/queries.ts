import { queryOptions, useQuery } from '@tanstack/react-query';
import { pages as allPages, type Model } from '@waybill/sdk';
import { useMemo } from 'react';
import { api } from '../../api/client.ts';
import { readTagged } from '../../api/tagged.ts';
import type { CatalogueBlock } from './catalogue.ts';
import { emptyDocument, type Subject } from './subjects.ts';

/** Fetches the blocks of all available apps of the store; a new build appears within a minute. */
export const blocksQuery = (storeId: string) =>
  queryOptions({
    queryKey: ['stores', storeId, 'blocks'],
    async queryFn({ signal }) {
      const { blocks } = await api.get('/api/stores/{storeId}/blocks', {
        params: { path: { storeId } },
        signal,
      });
      return blocks as unknown as CatalogueBlock[];
    },
    staleTime: 60_000,
  });

/** Fetches a page with its settings and the tag of that state. */
export const pageQuery = (storeId: string, id: string) =>
  queryOptions({
    queryKey: ['stores', storeId, 'pages', id],
    queryFn: ({ signal }) =>
      readTagged<{ page: Model<'Page'> }>(`/api/stores/${storeId}/pages/${id}`, signal),
  });

export type SectionEntry = Pick<Model<'Section'>, 'id' | 'name'>;

/** Fetches the names of all global sections. */
export const sectionNamesQuery = (storeId: string) =>
  queryOptions({
    queryKey: ['stores', storeId, 'sections', 'names'],
    async queryFn({ signal }) {
      const found: SectionEntry[] = [];
      const read = (after: string | undefined) =>
        api.get('/api/stores/{storeId}/sections', {
          params: { path: { storeId }, query: { limit: 200, fields: 'name', ...(after && { after }) } },
          signal,
        });
      for await (const { sections } of allPages(read)) found.push(...sections);
      return found;
    },
    staleTime: 30_000,
  });

/** Fetches the documents that contain a global section: pages, articles and other sections. */
export const sectionUsageQuery = (storeId: string, sectionId: string) =>
  queryOptions({
    queryKey: ['stores', storeId, 'sections', sectionId, 'usage'],
    queryFn: async ({ signal }) =>
      (
        await api.get('/api/stores/{storeId}/sections/{sectionId}/usage', {
          params: { path: { storeId, sectionId } },
          signal,
        })
      ).usage,
  });

/** Fetches a document's name and state. */
export const subjectInfoQuery = (subject: Subject) =>
  queryOptions({
    queryKey: [...subject.queryKey, subject.id, 'about'],
    queryFn: ({ signal }) => subject.readInfo(signal),
  });

/** Whether the store's header and footer surround the document. */
export const hasPageParts = ({ page, landmark }: Subject): boolean => page !== null && !landmark;

/**
 * Fetches the header and footer that visitors now get around this page. They lie below the templates, which are read
 * again once one of them is published or reset.
 */
export const pagePartsQuery = (subject: Subject, locale: string | null) =>
  queryOptions({
    queryKey: ['stores', subject.storeId, 'templates', 'around', ...subject.queryKey, subject.id, locale],
    queryFn: async ({ signal }) => {
      const [html, { extractPageParts }] = await Promise.all([
        subject.page!(locale, emptyDocument, signal),
        import('./page-parts.ts'),
      ]);
      return extractPageParts(html);
    },
    staleTime: 60_000,
  });

/** Fetches the store's products and pictures for ready-made sections. */
export const starterDataQuery = (storeId: string) =>
  queryOptions({
    queryKey: ['stores', storeId, 'starter-things'],
    staleTime: 60_000,
    async queryFn({ signal }) {
      const path = { storeId };
      const [{ products }, { media }] = await Promise.all([
        api.get('/api/stores/{storeId}/products', {
          params: { path, query: { status: 'active', limit: 20 } },
          signal,
        }),
        api.get('/api/stores/{storeId}/media', {
          params: { path, query: { kind: 'image', limit: 20 } },
          signal,
        }),
      ]);
      const hasPicture = ({ mediaIds }: { mediaIds: readonly string[] }) => mediaIds.length > 0;
      const byPicture = products.toSorted((a, b) => Number(hasPicture(b)) - Number(hasPicture(a)));
      const [picture] = media.toSorted((a, b) => Number(b.alt !== '') - Number(a.alt !== ''));
      return {
        productIds: byPicture.slice(0, 3).map(({ id }) => id),
        picture: picture ? { id: picture.id, alt: picture.alt } : null,
      };
    },
  });

/** The names of reference targets: blocks by app and key, sections by id. */
export interface Names {
  readonly blocks: ReadonlyMap<string, CatalogueBlock>;
  readonly sections: ReadonlyMap<string, SectionEntry>;
}

export const blockNameKey = (appId: unknown, key: unknown) => `${String(appId)}/${String(key)}`;

export function createNames(
  blocks: readonly CatalogueBlock[] | undefined,
  sections: readonly SectionEntry[] | undefined,
): Names {
  return {
    blocks: new Map((blocks ?? []).map((block) => [blockNameKey(block.appId, block.key), block])),
    sections: new Map((sections ?? []).map((section) => [section.id, section])),
  };
}

export function useNames(storeId: string): Names {
  const { data: blocks } = useQuery(blocksQuery(storeId));
  const { data: sections } = useQuery(sectionNamesQuery(storeId));
  return useMemo(() => createNames(blocks, sections), [blocks, sections]);
}
