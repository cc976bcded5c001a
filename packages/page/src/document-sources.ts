import type { ArticleFacts, ListFacts, MediaFacts, PageFacts, PlaceFacts, ProductFacts } from './facts.ts';
import { materialise, type TreeNode } from './materialise.ts';
import type { Block, PageDocument } from './model.ts';
import { type Rendered, type RenderedWithPlaces, type RenderOptions, render } from './render/render.ts';
import { resolve } from './resolve.ts';
import { tolerateDocument } from './tolerate.ts';

/** Everything that a document is rendered with, as plain JSON: `decisions.md 13.6`. */
export interface DocumentSources {
  /** ISO 4217. */
  readonly currency: string;
  /** By id; all that are held at any depth. */
  readonly sections: Readonly<Record<string, PageDocument>>;
  /** By app id, each app's blocks by key. */
  readonly apps: Readonly<Record<string, { readonly blocks: Readonly<Record<string, Block>> }>>;
  readonly products: Readonly<Record<string, ProductFacts>>;
  readonly media: Readonly<Record<string, MediaFacts>>;
  /** What stands before the path in the store's own URLs of its files, in lower case. */
  readonly bases?: readonly string[];
  /** Where each live page is, by its id, as seen from the document. */
  readonly pages: Readonly<Record<string, string>>;
  readonly appValues: readonly AppValue[];
  /** Published articles that are listed or linked to, by id. */
  readonly articles?: Readonly<Record<string, ArticleFacts>>;
  /** Where each category of products is that is linked to, by id. */
  readonly categories?: Readonly<Record<string, string>>;
  /** Whether prices are compared with the lowest of the 30 days before. */
  readonly comparesLowest?: boolean;
  /** What each list shows, by `listKey` of what it asks for. */
  readonly lists?: Readonly<Record<string, ListFacts>>;
  readonly place?: PlaceFacts;
  /** BCP 47, of the page. */
  readonly language?: string;
  /** In the locale of the page: by `TreeNode.entityId`, then by field. */
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
 * A document and its sources as HTML and CSS, the very bytes that publishing them gives. With `canvas` each node's
 * element says which node it is, in `data-wb-node`, and islands are not marked; nothing else differs. Of an invalid
 * document it shows what can be shown.
 */
export function renderDocument(
  document: PageDocument,
  sources: DocumentSources,
  options: RenderOptions & { places: true },
): RenderedWithPlaces;
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
  const tree = treeOf(tolerateDocument(document), sources);
  return render(tree && resolve(tree, factsOf(sources)), options);
}

/**
 * A document's tree as it is published, its references put in; undefined when nothing is left of it. With a prefix all
 * paths begin with that, so that several documents can stand in one page.
 */
export function treeOf(
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

/** What the references of a tree stand for. */
export function factsOf(sources: DocumentSources): PageFacts {
  const { currency, products, media, bases, pages, appValues, texts, articles, lists, place, language } =
    sources;
  const { categories, comparesLowest } = sources;
  const nameOf = (...parts: (string | null | undefined)[]) => parts.map((part) => part ?? '').join('/');
  const values = new Map(
    appValues.map(({ appId, key, owner, ownerId, value }) => [nameOf(appId, key, owner, ownerId), value]),
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
    appValue: (appId, key, owner, ownerId) => values.get(nameOf(appId, key, owner, ownerId)),
    ...(texts && { translate: (entityId, field) => own(own(texts, entityId) ?? {}, field) }),
  };
}

/** A member of an object that is a table: nothing that every object has. */
function own<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
