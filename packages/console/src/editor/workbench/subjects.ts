import type { Permission } from '@waybill/contracts/permissions';
import type { DocumentSources, PageDocument } from '@waybill/page';
import { isWaybillError, type Model } from '@waybill/sdk';
import { api } from '../../api/client.ts';
import { paths } from '../../paths.ts';
import { type TemplateKind, templateId, templateName, templateNames } from '../../shell/template-names.ts';
import { language } from '../../texts/texts.ts';
import { ObservableState } from './observable-state.ts';

/** A document as read or written, with the tag that the next write must match. */
export interface OpenedDocument {
  readonly document: PageDocument;
  /** Null if nothing is stored yet; the first write then requires that. */
  readonly etag: string | null;
  readonly savedAt: string | null;
  /** A user's id. */
  readonly savedBy: string | null;
  /** Differs whenever the document does. */
  readonly revision: number;
}

export type Warning = Model<'DocumentWarning'>;
export type Revision = Model<'Revision'>;

/** A document's name and state. */
export interface SubjectInfo {
  readonly name: string;
  readonly isLive: boolean;
  /** Whether the saved document differs from what is published. */
  readonly hasChanges: boolean;
  /** The URL of the live version. */
  readonly url: string | null;
}

/** A document that can be edited: its properties, and the functions that read and write it. */
export interface Subject {
  readonly kind: 'page' | 'section' | 'article' | 'template';
  /** For a header or a footer: the element that surrounds it on every page. */
  readonly landmark?: 'header' | 'footer';
  /** For a template of products, categories or articles: the item that it is drawn with. */
  readonly shownWith?: ShownWithChoice | undefined;
  readonly storeId: string;
  readonly id: string;
  readonly canRead: Permission;
  readonly canWrite: Permission;
  /** The address of the screen that lists it. */
  readonly home: string;
  /** Prefix of the keys of its queries, which are fetched again after a save or a publish. */
  readonly queryKey: readonly string[];
  readInfo(signal?: AbortSignal): Promise<SubjectInfo>;
  read(signal?: AbortSignal): Promise<OpenedDocument>;
  /**
   * Writes the document.
   * @throws precondition_failed, invalid_document, body_too_large and any failure of a request
   */
  write(
    document: PageDocument,
    etag: string | null,
  ): Promise<OpenedDocument & { warnings: readonly Warning[] }>;
  /** Returns the sources and the problems of a document, also of one that is not saved. */
  draw(
    document: PageDocument,
    locale: string | null,
    signal?: AbortSignal,
  ): Promise<{ sources: DocumentSources; problems: readonly Warning[] }>;
  /**
   * Returns the whole page that visitors would get, with header and footer; null if the document is not a page by
   * itself.
   */
  readonly page:
    | ((locale: string | null, document?: PageDocument, signal?: AbortSignal) => Promise<string>)
    | null;
  revisions(after: string | undefined, signal?: AbortSignal): Promise<RevisionPage>;
  revision(revisionId: string, signal?: AbortSignal): Promise<PageDocument>;
  /** Null if it goes live with the pages that contain it. */
  readonly publish: (() => Promise<void>) | null;
  readonly unpublish: (() => Promise<void>) | null;
}

/** The item that a template is drawn with: the newest that visitors see, unless one is chosen. */
export interface ShownWithChoice {
  readonly type: 'product' | 'category' | 'article';
  /** `shown` is the item of the last drawing; null if there is none. */
  readonly state: ObservableState<{
    readonly chosenId: string | null;
    readonly shown: ShownWith | null | undefined;
  }>;
}
export type ShownWith = Model<'ShownWith'>;

interface RevisionPage {
  readonly revisions: readonly Revision[];
  readonly nextCursor: string | null;
}

/** The address of one kind of document in the API. */
interface SubjectAddress {
  readonly resource: string;
  readonly document: string;
}

export const emptyDocument: PageDocument = {
  rootId: 'root',
  nodes: [{ id: 'root', type: 'section', children: [] }],
};

export function pageSubject(storeId: string, id: string): Subject {
  const path = `/api/stores/${storeId}/pages/${id}`;
  const addresses = { resource: path, document: `${path}/draft` };
  const params = { path: { storeId, id } };
  return {
    ...createCommonParts(storeId, id, addresses, 'pages'),
    kind: 'page',
    async readInfo(signal) {
      const { page } = await api.get('/api/stores/{storeId}/pages/{id}', { params, ...signalOption(signal) });
      return { name: page.name, isLive: page.live, hasChanges: page.hasChanges, url: page.url };
    },
    read: async (signal) => toOpenedDocument(await getWithEtag<Enveloped>(addresses.document, signal)),
    write: (document, etag) => writeEnveloped(addresses.document, document, etag),
    draw: (document, locale, signal) => drawPage(storeId, id, document, locale, signal),
    async publish() {
      await api.post('/api/stores/{storeId}/pages/{id}/publish', { params });
    },
    async unpublish() {
      await api.post('/api/stores/{storeId}/pages/{id}/unpublish', { params });
    },
  };
}

export function sectionSubject(storeId: string, id: string): Subject {
  const path = `/api/stores/${storeId}/sections/${id}`;
  const addresses = { resource: path, document: path };
  let name = '';
  const toOpenedSection = ({
    body,
    etag,
  }: Tagged<{ section: Model<'Section'> }>): OpenedDocument & { name: string } => {
    const { document, savedAt, savedBy, revision } = body.section;
    name = body.section.name;
    return { name, document: document as PageDocument, etag, savedAt, savedBy, revision };
  };
  return {
    ...createCommonParts(storeId, id, addresses, 'sections'),
    kind: 'section',
    async readInfo(signal) {
      const found = toOpenedSection(await getWithEtag(path, signal));
      return { name: found.name, isLive: true, hasChanges: false, url: null };
    },
    read: async (signal) => toOpenedSection(await getWithEtag(path, signal)),
    async write(document, etag) {
      // A section is always written with its name, in the form that was read last.
      if (name === '') toOpenedSection(await getWithEtag(path));
      return { ...toOpenedSection(await putWithEtag(path, { name, document }, etag)), warnings: [] };
    },
    async draw(document, locale, signal) {
      const [drawn, texts] = await Promise.all([
        api.post('/api/stores/{storeId}/sections/{sectionId}/canvas', {
          params: { path: { storeId, sectionId: id } },
          body: toBody(document, locale),
          ...signalOption(signal),
        }),
        readTexts(storeId, id, document, locale, signal),
      ]);
      const { sources, problems } = toDrawn(drawn);
      return { sources: { ...sources, texts: { ...sources.texts, ...texts } }, problems };
    },
    page: null,
    publish: null,
    unpublish: null,
  };
}

export function articleSubject(storeId: string, id: string): Subject {
  const at = `/api/stores/${storeId}/articles/${id}`;
  const addresses = { resource: at, document: `${at}/document` };
  const params = { path: { storeId, id } };
  return {
    ...createCommonParts(storeId, id, addresses, 'blog', 'articles'),
    kind: 'article',
    canRead: 'blog.read',
    canWrite: 'blog.write',
    async readInfo(signal) {
      const { article } = await api.get('/api/stores/{storeId}/articles/{id}', {
        params,
        ...signalOption(signal),
      });
      return {
        name: article.title,
        isLive: article.status === 'published',
        hasChanges: article.hasChanges,
        url: null,
      };
    },
    async read(signal) {
      try {
        return toOpenedDocument(await getWithEtag<Enveloped>(addresses.document, signal));
      } catch (error) {
        // An article of HTML has no document yet; the first save creates one.
        if (!isWaybillError(error, 'not_found')) throw error;
        return { document: emptyDocument, etag: null, savedAt: null, savedBy: null, revision: 0 };
      }
    },
    write: (document, etag) => writeEnveloped(addresses.document, document, etag),
    async draw(document, locale, signal) {
      const drawn = await api.post('/api/stores/{storeId}/articles/{articleId}/canvas', {
        params: { path: { storeId, articleId: id } },
        body: toBody(document, locale),
        ...signalOption(signal),
      });
      return toDrawn(drawn);
    },
    async publish() {
      await api.post('/api/stores/{storeId}/articles/{id}/publish', { params });
    },
    unpublish: null,
  };
}

export function templateSubject(storeId: string, kind: string): Subject {
  const templateKind = kind as TemplateKind;
  const path = `/api/stores/${storeId}/templates/${kind}`;
  const addresses = { resource: path, document: `${path}/draft` };
  const params = { path: { storeId, kind: templateKind } };
  const shownWith: ShownWithChoice | undefined =
    kind === 'product' || kind === 'category' || kind === 'article'
      ? { type: kind, state: new ObservableState({ chosenId: null, shown: undefined }) }
      : undefined;
  // Chooses an item with as many properties as possible, because the newest may lack a picture, for example.
  let found: Promise<string | null> | undefined;
  const findFullestId = () => {
    if (!shownWith) return null;
    found ??= findFullest[shownWith.type](storeId).catch(() => null);
    return found;
  };
  return {
    ...createCommonParts(storeId, templateId(templateKind), addresses, 'design', 'templates'),
    kind: 'template',
    home: paths.inStore(storeId, 'design'),
    ...((kind === 'header' || kind === 'footer') && { landmark: kind }),
    shownWith,
    async readInfo(signal) {
      const [{ templates }, names] = await Promise.all([
        api.get('/api/stores/{storeId}/templates', {
          params: { path: { storeId } },
          ...signalOption(signal),
        }),
        templateNames.read(language.read()),
      ]);
      const found = templates.find((template) => template.kind === kind);
      return {
        name: templateName(names, kind),
        isLive: found?.live ?? false,
        hasChanges: found?.hasChanges ?? false,
        url: null,
      };
    },
    read: async (signal) => toOpenedDocument(await getWithEtag<Enveloped>(addresses.document, signal)),
    write: (document, etag) => writeEnveloped(addresses.document, document, etag),
    async draw(document, locale, signal) {
      const chosenId = shownWith?.state.state.chosenId ?? (await findFullestId());
      const drawn = await api.post('/api/stores/{storeId}/templates/{kind}/canvas', {
        params,
        body: { ...toBody(document, locale), ...(chosenId && { [`${kind}Id`]: chosenId }) },
        ...signalOption(signal),
      });
      shownWith?.state.set({ shown: drawn.shownWith });
      return toDrawn(drawn);
    },
    async publish() {
      await api.post('/api/stores/{storeId}/templates/{kind}/publish', { params });
    },
    unpublish: null,
  };
}

/** Returns the product with the most properties filled in; null if there is none. */
async function findFullestProduct(storeId: string): Promise<string | null> {
  const { products } = await api.get('/api/stores/{storeId}/products', {
    params: { path: { storeId }, query: { status: 'active', limit: 50 } },
  });
  const fullness = ({ mediaIds, description, variants, totalStock }: (typeof products)[number]) =>
    Math.min(mediaIds.length, 3) * 2 +
    (description ? 2 : 0) +
    Math.min(variants.length, 2) +
    (totalStock > 0 ? 1 : 0);
  return products.toSorted((a, b) => fullness(b) - fullness(a))[0]?.id ?? null;
}

/** Returns the article with the most properties filled in, drafts excluded. */
async function findFullestArticle(storeId: string): Promise<string | null> {
  const { articles } = await api.get('/api/stores/{storeId}/articles', {
    params: { path: { storeId }, query: { status: 'published', limit: 50 } },
  });
  const fullness = ({ coverMediaId, content, bodyType, excerpt, tags }: (typeof articles)[number]) =>
    (coverMediaId ? 4 : 0) +
    (content || bodyType === 'page' ? 2 : 0) +
    (excerpt ? 2 : 0) +
    (tags.length > 0 ? 1 : 0);
  return articles.toSorted((a, b) => fullness(b) - fullness(a))[0]?.id ?? null;
}

/** Returns the category with the most products; subcategories, a description and a picture count, too. */
async function findFullestCategory(storeId: string): Promise<string | null> {
  const { categories } = await api.get('/api/stores/{storeId}/categories', {
    params: { path: { storeId }, query: { limit: 200 } },
  });
  const parents = new Set(categories.map(({ parentId }) => parentId));
  const fullness = ({ id, productsCount, description, imageMediaId }: (typeof categories)[number]) =>
    Math.min(productsCount, 20) + (parents.has(id) ? 5 : 0) + (description ? 2 : 0) + (imageMediaId ? 2 : 0);
  return categories.toSorted((a, b) => fullness(b) - fullness(a))[0]?.id ?? null;
}

const findFullest = {
  product: findFullestProduct,
  category: findFullestCategory,
  article: findFullestArticle,
};

function createCommonParts(
  storeId: string,
  id: string,
  { resource: address }: SubjectAddress,
  feature: string,
  resource = feature,
) {
  return {
    storeId,
    id,
    canRead: 'pages.read' as Permission,
    canWrite: 'pages.write' as Permission,
    home: paths.inStore(storeId, feature, id),
    queryKey: ['stores', storeId, resource],
    async page(locale: string | null, document?: PageDocument, signal?: AbortSignal): Promise<string> {
      const answer = await api.fetch(`${address}/preview`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ document, locale: locale ?? undefined }),
        ...signalOption(signal),
      });
      return answer.text();
    },
    async revisions(after: string | undefined, signal?: AbortSignal): Promise<RevisionPage> {
      const query = new URLSearchParams({ limit: '50', ...(after && { after }) });
      return (await getWithEtag<RevisionPage>(`${address}/revisions?${query}`, signal)).body;
    },
    async revision(revisionId: string, signal?: AbortSignal): Promise<PageDocument> {
      const { body } = await getWithEtag<{ document: PageDocument }>(
        `${address}/revisions/${revisionId}`,
        signal,
      );
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

const signalOption = (signal: AbortSignal | undefined) => signal && { signal };

const toOpenedDocument = ({ body: { document, draft }, etag }: Tagged<Enveloped>): OpenedDocument => ({
  document,
  etag,
  ...draft,
});

async function getWithEtag<Body>(path: string, signal?: AbortSignal): Promise<Tagged<Body>> {
  return readTagged(await api.fetch(path, signalOption(signal)));
}

async function putWithEtag<Body>(path: string, body: unknown, etag: string | null): Promise<Tagged<Body>> {
  return readTagged(
    await api.fetch(path, {
      method: 'PUT',
      headers: {
        'content-type': 'application/json',
        ...(etag === null ? { 'if-none-match': '*' } : { 'if-match': etag }),
      },
      body: JSON.stringify(body),
    }),
  );
}

async function readTagged<Body>(response: Response): Promise<Tagged<Body>> {
  return { body: (await response.json()) as Body, etag: response.headers.get('etag') };
}

async function writeEnveloped(path: string, document: PageDocument, etag: string | null) {
  const written = await putWithEtag<Enveloped>(path, { document }, etag);
  return { ...toOpenedDocument(written), warnings: written.body.warnings ?? [] };
}

async function drawPage(
  storeId: string,
  pageId: string,
  document: PageDocument,
  locale: string | null,
  signal?: AbortSignal,
) {
  const drawn = await api.post('/api/stores/{storeId}/pages/{pageId}/canvas', {
    params: { path: { storeId, pageId } },
    body: toBody(document, locale),
    ...signalOption(signal),
  });
  return toDrawn(drawn);
}

const toBody = (document: PageDocument, locale: string | null) => ({
  document: document as Model<'Document'>,
  ...(locale !== null && { locale }),
});

/** The API document does not describe the sources, because only the renderer of `@waybill/page` uses them. */
const toDrawn = ({ sources, problems }: Pick<Model<'Canvas'>, 'sources' | 'problems'>) => ({
  sources: sources as unknown as DocumentSources,
  problems,
});

const maxIds = 200;

/** Returns texts by node id, then by field. */
async function readTexts(
  storeId: string,
  id: string,
  { nodes }: PageDocument,
  locale: string | null,
  signal?: AbortSignal,
): Promise<Record<string, Record<string, string>>> {
  const found: Record<string, Record<string, string>> = {};
  if (locale === null) return found;
  for (let at = 0; at < nodes.length; at += maxIds) {
    const entityIds = nodes.slice(at, at + maxIds).map((node) => `${id}:${node.id}`);
    const answer = await api.get('/api/stores/{storeId}/translations', {
      params: { path: { storeId }, query: { entityType: 'node', entityIds: entityIds.join(), locale } },
      ...signalOption(signal),
    });
    if (!('byEntity' in answer)) continue;
    for (const [entityId, entries] of Object.entries(answer.byEntity)) {
      const own = entries.filter(({ value }) => value !== '').map(({ field, value }) => [field, value]);
      if (own.length > 0) found[entityId.slice(id.length + 1)] = Object.fromEntries(own);
    }
  }
  return found;
}
