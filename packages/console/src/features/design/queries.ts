import { queryOptions } from '@tanstack/react-query';
import { pages as allPages, type Model } from '@waybill/sdk';
import { api } from '../../api/client.ts';
import type { Drawn } from '../../shell/draw.ts';
import type { TemplateKind } from '../../shell/template-names.ts';

export type Template = Model<'Template'>;

export const templatesKey = (storeId: string) => ['stores', storeId, 'templates'];

/** Reads all templates, those the store has not changed included. */
export const templatesQuery = (storeId: string) =>
  queryOptions({
    queryKey: templatesKey(storeId),
    queryFn: async ({ signal }) =>
      (await api.get('/api/stores/{storeId}/templates', { params: { path: { storeId } }, signal })).templates,
  });

/** Reads a page that uses the saved draft of a template, in the live theme. */
export const templateLookQuery = (storeId: string, kind: TemplateKind) =>
  queryOptions({
    queryKey: [...templatesKey(storeId), kind, 'look'],
    queryFn: ({ signal }) => readPage(`/api/stores/${storeId}/templates/${kind}/preview`, signal),
  });

/** Reads the saved draft of the homepage with header and footer, or null if it does not exist yet. */
export const homepageLookQuery = (storeId: string) =>
  queryOptions({
    queryKey: ['stores', storeId, 'pages', 'homepage', 'look'],
    async queryFn({ signal }): Promise<Drawn | null> {
      const fields = 'isHomepage,live,hasDraft';
      const read = (after: string | undefined) =>
        api.get('/api/stores/{storeId}/pages', {
          params: { path: { storeId }, query: { limit: 200, fields, ...(after && { after }) } },
          signal,
        });
      for await (const { pages } of allPages(read)) {
        const home = pages.find(({ isHomepage }) => isHomepage);
        if (!home) continue;
        // A homepage that was neither saved nor published has no preview.
        if (!home.live && !home.hasDraft) return null;
        return readPage(`/api/stores/${storeId}/pages/${home.id}/preview`, signal);
      }
      return null;
    },
  });

async function readPage(path: string, signal: AbortSignal): Promise<Drawn> {
  const response = await api.fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
    signal,
  });
  return pageOfHtml(await response.text());
}

/**
 * Extracts the body and the inline styles of a page that the server rendered, for a frame. Linked sheets are dropped;
 * callers append the theme's sheet. Text is escaped in the page, so a tag found in it is always an element.
 */
function pageOfHtml(text: string): Drawn {
  const begin = text.indexOf('<body>\n');
  const [head, rest] = [text.slice(0, begin), text.slice(begin + '<body>\n'.length)];
  const [, ...opened] = head.split('<style>');
  const styles = opened.map((part) => part.slice(0, Math.max(0, part.indexOf('</style>'))));
  return { html: rest.slice(0, rest.lastIndexOf('\n</body>')), css: styles.join('') };
}

/** Reads the name of a font file that the theme uses. */
export const fontNameQuery = (storeId: string, mediaId: string) =>
  queryOptions({
    queryKey: ['stores', storeId, 'name-of', mediaId],
    staleTime: 60_000,
    queryFn: async ({ signal }) =>
      (
        await api.get('/api/stores/{storeId}/media/{id}', {
          params: { path: { storeId, id: mediaId } },
          signal,
        })
      ).media.name,
  });
