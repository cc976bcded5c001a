import type { Permission } from '@waybill/contracts/permissions';
import type { DocumentSources, PageDocument } from '@waybill/page';
import { isWaybillError, type Model } from '@waybill/sdk';
import { api } from '../../api/client.ts';
import { paths } from '../../paths.ts';

/** A document as it was read or written: with the tag that a later write is bound to. */
export interface Opened {
  readonly document: PageDocument;
  /** Null: nothing is stored yet, and the first write is bound to nothing. */
  readonly etag: string | null;
  readonly savedAt: string | null;
  /** A user's id. */
  readonly savedBy: string | null;
  /** Another whenever there is another document. */
  readonly revision: number;
}

export type Warning = Model<'DocumentWarning'>;
export type Revision = Model<'Revision'>;

/** What it is called, and how it stands. */
export interface About {
  readonly name: string;
  readonly isLive: boolean;
  readonly hasDraft: boolean;
  /** Of what is live. */
  readonly url: string | null;
}

/** A document that can be edited: what the editor knows of it, and how it is read and written. */
export interface Subject {
  readonly kind: 'page' | 'section' | 'article';
  readonly storeId: string;
  readonly id: string;
  readonly canRead: Permission;
  readonly canWrite: Permission;
  /** Where the room shows it. */
  readonly home: string;
  /** What the queries about it begin with: read again after a save or a publish. */
  readonly queryKey: readonly string[];
  about(signal?: AbortSignal): Promise<About>;
  read(signal?: AbortSignal): Promise<Opened>;
  /**
   * @throws precondition_failed, invalid_document, body_too_large and whatever a request can fail with
   */
  write(document: PageDocument, etag: string | null): Promise<Opened & { warnings: readonly Warning[] }>;
  /** What it is drawn with, and what is wrong with it; of a document that is not saved as well. */
  draw(
    document: PageDocument,
    locale: string | null,
    signal?: AbortSignal,
  ): Promise<{ sources: DocumentSources; problems: readonly Warning[] }>;
  revisions(after: string | undefined, signal?: AbortSignal): Promise<RevisionPage>;
  revision(revisionId: string, signal?: AbortSignal): Promise<PageDocument>;
  /** Null: it goes live with the pages that hold it. */
  readonly publish: (() => Promise<void>) | null;
  readonly unpublish: (() => Promise<void>) | null;
}

interface RevisionPage {
  readonly revisions: readonly Revision[];
  readonly nextCursor: string | null;
}

/** Where a document of one kind stands in the API. */
interface Place {
  readonly of: string;
  readonly document: string;
}

const emptyDocument: PageDocument = {
  rootId: 'root',
  nodes: [{ id: 'root', type: 'section', children: [] }],
};

export function pageSubject(storeId: string, id: string): Subject {
  const at = `/api/stores/${storeId}/pages/${id}`;
  const place = { of: at, document: `${at}/draft` };
  const params = { path: { storeId, id } };
  return {
    ...common(storeId, id, place, 'pages'),
    kind: 'page',
    async about(signal) {
      const { page } = await api.get('/api/stores/{storeId}/pages/{id}', { params, ...withSignal(signal) });
      return { name: page.name, isLive: page.live, hasDraft: page.hasDraft, url: page.url };
    },
    read: async (signal) => openedOf(await getTagged<Enveloped>(place.document, signal)),
    write: (document, etag) => writeEnveloped(place.document, document, etag),
    draw: (document, locale, signal) => draw(storeId, id, document, locale, signal),
    async publish() {
      await api.post('/api/stores/{storeId}/pages/{id}/publish', { params });
    },
    async unpublish() {
      await api.post('/api/stores/{storeId}/pages/{id}/unpublish', { params });
    },
  };
}

export function sectionSubject(storeId: string, id: string): Subject {
  const at = `/api/stores/${storeId}/sections/${id}`;
  const place = { of: at, document: at };
  let name = '';
  const sectionOf = ({ body, etag }: Tagged<{ section: Model<'Section'> }>): Opened & { name: string } => {
    const { document, savedAt, savedBy, revision } = body.section;
    name = body.section.name;
    return { name, document: document as PageDocument, etag, savedAt, savedBy, revision };
  };
  return {
    ...common(storeId, id, place, 'sections'),
    kind: 'section',
    async about(signal) {
      const found = sectionOf(await getTagged(at, signal));
      return { name: found.name, isLive: true, hasDraft: false, url: null };
    },
    read: async (signal) => sectionOf(await getTagged(at, signal)),
    async write(document, etag) {
      // A section is written whole, its name as it was read last.
      if (name === '') sectionOf(await getTagged(at));
      return { ...sectionOf(await putTagged(at, { name, document }, etag)), warnings: [] };
    },
    async draw(document, locale, signal) {
      const [drawn, texts] = await Promise.all([
        api.post('/api/stores/{storeId}/sections/{sectionId}/canvas', {
          params: { path: { storeId, sectionId: id } },
          body: bodyOf(document, locale),
          ...withSignal(signal),
        }),
        readTexts(storeId, id, document, locale, signal),
      ]);
      const { sources, problems } = drawnOf(drawn);
      return { sources: { ...sources, texts: { ...sources.texts, ...texts } }, problems };
    },
    publish: null,
    unpublish: null,
  };
}

export function articleSubject(storeId: string, id: string): Subject {
  const at = `/api/stores/${storeId}/articles/${id}`;
  const place = { of: at, document: `${at}/document` };
  const params = { path: { storeId, id } };
  return {
    ...common(storeId, id, place, 'blog', 'articles'),
    kind: 'article',
    canRead: 'blog.read',
    canWrite: 'blog.write',
    async about(signal) {
      const { article } = await api.get('/api/stores/{storeId}/articles/{id}', {
        params,
        ...withSignal(signal),
      });
      return { name: article.title, isLive: article.status === 'published', hasDraft: true, url: null };
    },
    async read(signal) {
      try {
        return openedOf(await getTagged<Enveloped>(place.document, signal));
      } catch (error) {
        // An article of HTML has no document yet; the first save makes it one that is built.
        if (!isWaybillError(error, 'not_found')) throw error;
        return { document: emptyDocument, etag: null, savedAt: null, savedBy: null, revision: 0 };
      }
    },
    write: (document, etag) => writeEnveloped(place.document, document, etag),
    // What is no page is drawn as a part of one, but its texts in other languages are kept by its own id.
    async draw(document, locale, signal) {
      const [{ sources, problems }, texts] = await Promise.all([
        draw(storeId, await anyPage(storeId), document, locale, signal),
        readTexts(storeId, id, document, locale, signal),
      ]);
      return { sources: { ...sources, texts: { ...sources.texts, ...texts } }, problems };
    },
    async publish() {
      await api.post('/api/stores/{storeId}/articles/{id}/publish', { params });
    },
    unpublish: null,
  };
}

function common(storeId: string, id: string, { of }: Place, room: string, resource = room) {
  return {
    storeId,
    id,
    canRead: 'pages.read' as Permission,
    canWrite: 'pages.write' as Permission,
    home: paths.inStore(storeId, room, id),
    queryKey: ['stores', storeId, resource],
    async revisions(after: string | undefined, signal?: AbortSignal): Promise<RevisionPage> {
      const query = new URLSearchParams({ limit: '50', ...(after && { after }) });
      return (await getTagged<RevisionPage>(`${of}/revisions?${query}`, signal)).body;
    },
    async revision(revisionId: string, signal?: AbortSignal): Promise<PageDocument> {
      const { body } = await getTagged<{ document: PageDocument }>(`${of}/revisions/${revisionId}`, signal);
      return body.document;
    },
  };
}

interface Tagged<Body> {
  readonly body: Body;
  readonly etag: string | null;
}

interface Enveloped {
  readonly document: PageDocument;
  readonly draft: Model<'DraftState'>;
  readonly warnings?: readonly Warning[];
}

const withSignal = (signal: AbortSignal | undefined) => signal && { signal };

const openedOf = ({ body: { document, draft }, etag }: Tagged<Enveloped>): Opened => ({
  document,
  etag,
  ...draft,
});

async function getTagged<Body>(path: string, signal?: AbortSignal): Promise<Tagged<Body>> {
  return taggedOf(await api.fetch(path, withSignal(signal)));
}

async function putTagged<Body>(path: string, body: unknown, etag: string | null): Promise<Tagged<Body>> {
  return taggedOf(
    await api.fetch(path, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', ...(etag && { 'if-match': etag }) },
      body: JSON.stringify(body),
    }),
  );
}

async function taggedOf<Body>(response: Response): Promise<Tagged<Body>> {
  return { body: (await response.json()) as Body, etag: response.headers.get('etag') };
}

async function writeEnveloped(path: string, document: PageDocument, etag: string | null) {
  const written = await putTagged<Enveloped>(path, { document }, etag);
  return { ...openedOf(written), warnings: written.body.warnings ?? [] };
}

async function draw(
  storeId: string,
  pageId: string,
  document: PageDocument,
  locale: string | null,
  signal?: AbortSignal,
) {
  const drawn = await api.post('/api/stores/{storeId}/pages/{pageId}/canvas', {
    params: { path: { storeId, pageId } },
    body: bodyOf(document, locale),
    ...withSignal(signal),
  });
  return drawnOf(drawn);
}

const bodyOf = (document: PageDocument, locale: string | null) => ({
  document: document as Model<'Document'>,
  ...(locale !== null && { locale }),
});

/** The API document does not say what is in it: it is for the renderer of `@waybill/page` alone. */
const drawnOf = ({ sources, problems }: Model<'Canvas'>) => ({
  sources: sources as unknown as DocumentSources,
  problems,
});

const mostIds = 200;

/** By node id, then by field. */
async function readTexts(
  storeId: string,
  id: string,
  { nodes }: PageDocument,
  locale: string | null,
  signal?: AbortSignal,
): Promise<Record<string, Record<string, string>>> {
  const found: Record<string, Record<string, string>> = {};
  if (locale === null) return found;
  for (let at = 0; at < nodes.length; at += mostIds) {
    const entityIds = nodes.slice(at, at + mostIds).map((node) => `${id}:${node.id}`);
    const answer = await api.get('/api/stores/{storeId}/translations', {
      params: { path: { storeId }, query: { entityType: 'node', entityIds: entityIds.join(), locale } },
      ...withSignal(signal),
    });
    if (!('byEntity' in answer)) continue;
    for (const [entityId, entries] of Object.entries(answer.byEntity)) {
      const own = entries.filter(({ value }) => value !== '').map(({ field, value }) => [field, value]);
      if (own.length > 0) found[entityId.slice(id.length + 1)] = Object.fromEntries(own);
    }
  }
  return found;
}

/** Whatever is drawn is drawn as part of a page: what is none, as part of the first. */
async function anyPage(storeId: string): Promise<string> {
  const { pages } = await api.get('/api/stores/{storeId}/pages', {
    params: { path: { storeId }, query: { limit: 1, fields: 'id' } },
  });
  // Without a page the server says that there is none.
  return pages[0]?.id ?? 'pag_none';
}
