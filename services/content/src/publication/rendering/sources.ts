import {
  type AppDataFact,
  type AppDataName,
  customFieldTextPrefix,
  translatedFieldTypes,
} from '@waybill/contracts';
import { sanitiseHtml } from '@waybill/html';
import {
  type ArticleFacts,
  type Block,
  type DocumentSources,
  type FieldFacts,
  type FieldsFacts,
  findListQuery,
  getWords,
  type ListFacts,
  listKey,
  type MediaFacts,
  type OptionFacts,
  type PageDocument,
  type PlaceFacts,
  type ProductFacts,
  references,
  type TreeNode,
} from '@waybill/page';

/**
 * Everything from which a page is made, except its document. It is plain JSON stored beside the live page, so that the
 * page can be made in another locale, or with one part changed, without requesting the rest.
 */
export interface PageSources {
  currency: string;
  /** The store that forms post to; absent in sources from before forms did. */
  storeId?: string;
  /** All sections held at any depth, by id. */
  sections: Record<string, PageDocument>;
  /** The parts that the page uses of each app, by its id; nothing of an unavailable app. */
  apps: Record<string, UsedApp>;
  products: Record<string, SourceProduct>;
  media: Record<string, MediaFacts>;
  /** The prefixes of the store's own URLs of its files; absent in older sources. */
  bases?: string[];
  /** The slug of each linked live page, by its id; empty for the homepage. */
  pages: Record<string, string>;
  appValues: AppDataFact[];
  /** Published articles that are listed or linked, by id; absent in sources from before articles could be shown. */
  articles?: Record<string, SourceArticle>;
  /** The slug of each linked product category, by its id. */
  categories?: Record<string, string>;
  /** Whether prices are compared with the lowest of the 30 days before. */
  comparesLowest?: boolean;
  /** The contents of each list, by `listKey`. */
  lists?: Record<string, ListFacts>;
  /** The store's default language. */
  language?: string;
  /** The page itself, if it shows its own name. */
  self?: { id: string; name: string };
}

/** A product as stored: its address depends on the position of the page. */
export interface SourceProduct extends ProductFacts {
  slug?: string;
}

/** An article as stored, in the same way. */
export type SourceArticle = Omit<ArticleFacts, 'url'> & { slug: string };

/** The blocks, and the islands by name, of the version installed at the time. */
export interface UsedApp {
  versionId: string;
  blocks: Record<string, Block>;
  /** SHA-256 of the module, in hex. */
  islands: Record<string, string>;
  /** As in `InstalledApp`; absent in sources from before the app platform provided it. */
  connectOrigins?: string[];
  choice?: number;
  /** The store of the page if its version is unreviewed: the modules are served only there. */
  developmentStoreId?: string;
}

/** The texts of a page in a locale other than its original one. */
export interface Localisation {
  /** Returns a text by the node's `TreeNode.entityId` and its field. */
  translateNode(nodeId: string, field: string): string | undefined;
  readonly locale: string;
  /** Returns the name of the page itself. */
  translateName(): string | undefined;
  translateProduct(productId: string, field: string): string | undefined;
  translateCategory(categoryId: string, field: string): string | undefined;
  translateArticle(articleId: string, field: string): string | undefined;
}

/** The facts about a page's place that its address does not contain. */
export type PageContext = Pick<
  PlaceFacts,
  'trail' | 'productId' | 'variantId' | 'articleId' | 'query' | 'category' | 'categoryFields' | 'browse'
>;

/** The directories of products and articles among a store's pages. */
export const productsSlug = 'products';
export const categoriesSlug = 'categories';
export const blogSlug = 'blog';

/** Returns the parts before and after a form's name in the address that the forms of a document post to. */
const buildFormPaths = (storeId: string, ownerId: string, locale: string | undefined) => ({
  before: `/storefront/${storeId}/forms/${ownerId}.`,
  after: locale ? `?locale=${locale}` : '',
});

/**
 * Returns the sources as a document is rendered with them. `ownerId` is its page, article, section or template. Links
 * to pages are relative, so that the same bytes work wherever the store is shown, and in every locale: `toPages` is the
 * path from the document to the directory of pages.
 */
export function toDocumentSources(
  { products, articles, pages, categories, language, lists, self, storeId, ...sources }: PageSources,
  ownerId: string,
  toPages: string,
  { locale: ownLocale, ...pageContext }: PageContext & { locale?: string } = {},
): DocumentSources {
  const locale = ownLocale ?? language;
  const { trail = buildTrail(self, toPages, locale), ...context } = pageContext;
  return {
    ...sources,
    products: mapValues(products, ({ slug, ...product }) =>
      slug === undefined ? product : { ...product, url: `${toPages}${productsSlug}/${slug}` },
    ),
    pages: mapValues(pages, (slug) => toPages + slug),
    ...(categories && {
      categories: mapValues(categories, (slug) => `${toPages}${categoriesSlug}/${slug}`),
    }),
    ...(articles && {
      articles: mapValues(articles, ({ slug, ...article }) => ({
        ...article,
        url: `${toPages}${blogSlug}/${slug}`,
      })),
    }),
    ...(lists && { lists }),
    ...(locale && { language: locale }),
    place: {
      home: toPages,
      blog: `${toPages}${blogSlug}/`,
      cart: `${toPages}cart`,
      search: `${toPages}search`,
      ...(trail && { trail }),
      ...(storeId !== undefined && { forms: buildFormPaths(storeId, ownerId, ownLocale) }),
      ...context,
    },
  };
}

/** Returns the breadcrumbs from the homepage to one of the store's own pages. */
function buildTrail(
  self: PageSources['self'],
  toPages: string,
  locale: string | undefined,
): PlaceFacts['trail'] | undefined {
  return self && [{ text: getWords(locale).home, url: toPages }, { text: self.name }];
}

/** Returns sources with the names and texts of their products and articles in a locale. */
export function localiseSources(sources: PageSources, local: Localisation): PageSources {
  const { products, articles, self } = sources;
  return {
    ...sources,
    products: mapValues(products, (product, id) => ({
      ...product,
      name: local.translateProduct(id, 'name') ?? product.name,
      ...(product.options && { options: localiseOptions(id, product.options, local) }),
      ...(product.description !== undefined && {
        description: sanitiseOptional(local.translateProduct(id, 'description')) ?? product.description,
      }),
      ...(product.fields && {
        fields: localiseFields(product.fields, (field) => local.translateProduct(id, field)),
      }),
    })),
    ...(articles && {
      articles: mapValues(articles, (article, id) => ({
        ...article,
        title: local.translateArticle(id, 'title') ?? article.title,
        excerpt: local.translateArticle(id, 'excerpt') ?? article.excerpt,
        ...(article.body !== undefined && {
          body: sanitiseOptional(local.translateArticle(id, 'content')) ?? article.body,
        }),
        ...(article.fields && {
          fields: localiseFields(article.fields, (field) => local.translateArticle(id, field)),
        }),
      })),
    }),
    ...(self && { self: { ...self, name: local.translateName() ?? self.name } }),
  };
}

/** Returns options with their names and values in a locale; each is translated by its position. */
export const localiseOptions = (
  productId: string,
  options: readonly OptionFacts[],
  local: Pick<Localisation, 'translateProduct'>,
): OptionFacts[] =>
  options.map((option, i) => {
    const translateField = (field: string) => local.translateProduct(productId, `options.${i}.${field}`);
    const texts = option.values.map((_, j) => translateField(`values.${j}`) ?? null);
    const text = translateField('name');
    return {
      ...option,
      ...(text !== undefined && { text }),
      ...(texts.some((each) => each !== null) && { texts }),
    };
  });

/**
 * Returns values of custom fields in a locale. A text is translated as `customFields.<key>`, a text of a list or of
 * several choices as `customFields.<key>.<position>` (`decisions.md 20.4`).
 */
export function localiseFields(
  fields: FieldsFacts,
  translate: (field: string) => string | undefined,
): FieldsFacts {
  return mapValues(fields, ({ type, value }, key): FieldFacts => {
    const field = `${customFieldTextPrefix}${key}`;
    if (!translatedFieldTypes.has(type)) return { type, value };
    if (Array.isArray(value))
      return { type, value: value.map((text, i) => translate(`${field}.${i}`) ?? text) };
    const text = translate(field);
    return { type, value: (type === 'richText' ? sanitiseOptional(text) : text) ?? value };
  });
}

/** Sanitises a translation, because translations are stored as they were sent. */
const sanitiseOptional = (html: string | undefined) => (html === undefined ? undefined : sanitiseHtml(html));

function mapValues<Value, Result>(
  table: Readonly<Record<string, Value>>,
  map: (value: Value, key: string) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(table).map(([key, value]) => [key, map(value, key)]));
}

/** Returns the path of a page within its store; an empty slug means the homepage. */
export function pathInStore(slug: string, locale?: string): string {
  return `${locale ? `${locale}/` : ''}${slug}`;
}

/** Returns the path below `/s` at which a page is served. */
export function pagePath(storeSlug: string, slug: string, locale?: string): string {
  return `/s/${storeSlug}/${pathInStore(slug, locale)}`;
}

/** A source that a live page shows: `0012_live_pages.sql`. */
export interface Dependency {
  kind:
    | ('section' | 'product' | 'category' | 'media' | 'page' | 'app' | 'block' | 'appData' | 'article')
    // Any product or article of the store, for pages that list them: without a `ref`.
    | ('products' | 'articles');
  ref: string;
  /** For an app, the version that its blocks were taken from. */
  version: string | null;
}

/**
 * Returns everything that a page depends on, given the tree made from the same document and sources: in a fixed order,
 * without duplicates, including items that do not exist.
 */
export function collectDependencies(
  document: PageDocument,
  sources: PageSources,
  tree: TreeNode | undefined,
): Dependency[] {
  const found = new Map<string, Dependency>();
  const add = (kind: Dependency['kind'], refs: Iterable<string>, version: string | null = null) => {
    for (const ref of refs) found.set(`${kind} ${ref}`, { kind, ref, version });
  };
  for (const each of [document, ...Object.values(sources.sections)]) {
    const { blocks, sectionIds } = references(each);
    add('section', sectionIds);
    add('block', blocks.keys());
    for (const { appId } of blocks.values()) {
      add('app', [appId], getOwnMember(sources.apps, appId)?.versionId ?? null);
    }
  }
  if (tree) {
    const { productIds, mediaIds, pageIds, articleIds, categoryIds, lists } = references(tree);
    add('product', productIds);
    add('category', categoryIds);
    add('media', [...mediaIds, ...Object.keys(sources.media)]);
    add('page', sources.self ? [...pageIds, sources.self.id] : pageIds);
    add('article', articleIds);
    const types = [...lists.values()].map(({ type }) => type);
    if (types.includes('productList')) add('products', ['']);
    if (types.includes('articleList')) add('articles', ['']);
    add('appData', collectAppData(tree, sources).map(toAppDataRef));
  }
  return [...found.keys()].sort().map((key) => found.get(key)!);
}

/**
 * Maximum number of values of app data that a page requests: an app has 500, and may bind every node to as many in
 * every list.
 */
const maxAppValues = 20_000;

/**
 * Returns the values of app data that a tree's bindings need: the value of the product around a node takes precedence
 * over the site's, and lists need those of each product. Beyond the maximum, the values of the first nodes are
 * returned.
 */
export function collectAppData(
  tree: TreeNode,
  {
    lists = {},
    productId: pageProductId = null,
  }: Pick<PageSources, 'lists'> & { productId?: string | null } = {},
): AppDataName[] {
  const found = new Map<string, AppDataName>();
  const visit = (node: TreeNode, parentProductIds: readonly string[]) => {
    const { productId } = node.specials;
    const productIds = typeof productId === 'string' ? [productId] : parentProductIds;
    for (const { appId, key } of node.bindings) {
      const names: AppDataName[] = [{ appId, key, owner: 'site', ownerId: null }];
      for (const ownerId of productIds) names.push({ appId, key, owner: 'product', ownerId });
      for (const name of names) found.set(toAppDataRef(name), name);
      if (found.size >= maxAppValues) return;
    }
    const query = findListQuery(node);
    const childProductIds = query?.type === 'productList' ? (lists[listKey(query)]?.ids ?? []) : productIds;
    for (const child of node.children) visit(child, childProductIds);
  };
  visit(tree, pageProductId === null ? [] : [pageProductId]);
  return [...found.values()];
}

/** Whether a tree shows products, by their ids or in lists. */
export function showsProducts(tree: TreeNode | undefined): boolean {
  if (!tree) return false;
  const { productIds, lists } = references(tree);
  return productIds.size > 0 || [...lists.values()].some(({ type }) => type === 'productList');
}

/** Returns the name of a value of app data as a dependency. */
export function toAppDataRef({ appId, key, owner, ownerId }: AppDataName): string {
  return `${appId}/${key}/${owner}/${ownerId ?? ''}`;
}

/** Returns an own member of an object used as a table, never an inherited one. */
export function getOwnMember<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
