import type { ArticleFacts, ListFacts, MediaFacts, PageFacts, PlaceFacts, ProductFacts } from './facts.ts';
import { materialise, type TreeNode } from './materialise.ts';
import type { Block, PageDocument } from './model.ts';
import { type Rendered, type RenderedWithSpans, type RenderOptions, render } from './render/render.ts';
import { resolve } from './resolve.ts';
import { tolerateDocument } from './tolerate.ts';

/** Everything that rendering a document needs, as plain JSON (`decisions.md 13.6`). */
export interface DocumentSources {
  /** ISO 4217. */
  readonly currency: string;
  /** By id, including sections that other sections contain. */
  readonly sections: Readonly<Record<string, PageDocument>>;
  /** Each app's blocks by key, by app id. */
  readonly apps: Readonly<Record<string, { readonly blocks: Readonly<Record<string, Block>> }>>;
  readonly products: Readonly<Record<string, ProductFacts>>;
  readonly media: Readonly<Record<string, MediaFacts>>;
  /** Prefixes before the path in the store's own file URLs, in lower case. */
  readonly bases?: readonly string[];
  /** The URL of each live page by its id, relative to the document. */
  readonly pages: Readonly<Record<string, string>>;
  readonly appValues: readonly AppValue[];
  /** Published articles that are listed or linked to, by id. */
  readonly articles?: Readonly<Record<string, ArticleFacts>>;
  /** The URL of each product category that is linked to, by id. */
  readonly categories?: Readonly<Record<string, string>>;
  /** Whether prices are compared with the lowest one of the previous 30 days. */
  readonly comparesLowest?: boolean;
  /** The contents of each list, by the `listKey` of its query. */
  readonly lists?: Readonly<Record<string, ListFacts>>;
  readonly place?: PlaceFacts;
  /** BCP 47 tag of the page's language. */
  readonly language?: string;
  /** Texts in the page's locale: by `TreeNode.entityId`, then by field. */
  readonly texts?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

interface AppValue {
  readonly appId: string;
  readonly key: string;
  readonly owner: 'site' | 'product';
  readonly ownerId: string | null;
  readonly value: string;
}

/**
 * Renders a document and its sources to HTML and CSS, with exactly the bytes that publishing them gives. With `canvas`,
 * each node's element names its node in `data-wb-node` and islands are not marked; nothing else differs. An invalid
 * document is rendered as far as possible.
 */
export function renderDocument(
  document: PageDocument,
  sources: DocumentSources,
  options: RenderOptions & { spans: true },
): RenderedWithSpans;
export function renderDocument(
  document: PageDocument,
  sources: DocumentSources,
  options?: RenderOptions,
): Rendered;
export function renderDocument(
  document: PageDocument,
  sources: DocumentSources,
  options: RenderOptions = {},
): Rendered {
  const tree = materialiseDocument(tolerateDocument(document), sources);
  return render(tree && resolve(tree, toFacts(sources)), options);
}

/**
 * Returns a document's tree as it is published, with its references replaced; undefined if nothing is left. With a
 * prefix all paths begin with it, so that several documents can share a page.
 */
export function materialiseDocument(
  document: PageDocument,
  { sections, apps }: Pick<DocumentSources, 'sections' | 'apps'>,
  prefix?: string,
): TreeNode | undefined {
  return materialise(document, {
    sections: new Map(Object.entries(sections)),
    block: (appId, blockKey) => own(own(apps, appId)?.blocks ?? {}, blockKey),
    publish: true,
    ...(prefix !== undefined && { prefix }),
  });
}

/** Converts sources to the facts that a tree's references are resolved with. */
export function toFacts(sources: DocumentSources): PageFacts {
  const { currency, products, media, bases, pages, appValues, texts, articles, lists, place, language } =
    sources;
  const { categories, comparesLowest } = sources;
  const joinKey = (...parts: (string | null | undefined)[]) => parts.map((part) => part ?? '').join('/');
  const values = new Map(
    appValues.map(({ appId, key, owner, ownerId, value }) => [joinKey(appId, key, owner, ownerId), value]),
  );
  return {
    currency,
    products: new Map(Object.entries(products)),
    media: new Map(Object.entries(media)),
    ...(bases && { bases }),
    pages: new Map(Object.entries(pages)),
    ...(articles && { articles: new Map(Object.entries(articles)) }),
    ...(categories && { categories: new Map(Object.entries(categories)) }),
    ...(comparesLowest && { comparesLowest }),
    ...(lists && { lists: new Map(Object.entries(lists)) }),
    ...(place && { place }),
    ...(language && { language }),
    appValue: (appId, key, owner, ownerId) => values.get(joinKey(appId, key, owner, ownerId)),
    ...(texts && { translate: (entityId, field) => own(own(texts, entityId) ?? {}, field) }),
  };
}

/** Returns an own member of a table object, never an inherited one. */
function own<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
