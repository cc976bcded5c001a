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
  type ListFacts,
  listKey,
  listQueryOf,
  type MediaFacts,
  type OptionFacts,
  type PageDocument,
  type PlaceFacts,
  type ProductFacts,
  references,
  type TreeNode,
  wordsIn,
} from '@waybill/page';

/**
 * Everything that a page is made of but its document. Plain JSON, kept beside the live page: so it can be made in
 * another locale, or with one part of it changed, without asking anybody for the rest.
 */
export interface PageSources {
  currency: string;
  /** Where forms post to; not there in what was kept before they did. */
  storeId?: string;
  /** By id; all that are held at any depth. */
  sections: Record<string, PageDocument>;
  /** What the page uses of each app, by its id; of an app that is not available, nothing. */
  apps: Record<string, UsedApp>;
  products: Record<string, SourceProduct>;
  media: Record<string, MediaFacts>;
  /** What stands before the path in the store's own URLs of its files; not there in what was kept before. */
  bases?: string[];
  /** The slug of each live page that is linked to, by its id; empty for the homepage. */
  pages: Record<string, string>;
  appValues: AppDataFact[];
  /** Published articles that are listed or linked to, by id; not there in what was kept before there were any. */
  articles?: Record<string, SourceArticle>;
  /** The slug of each category of products that is linked to, by its id. */
  categories?: Record<string, string>;
  /** Whether prices are compared with the lowest of the 30 days before. */
  comparesLowest?: boolean;
  /** What each list shows, by `listKey`. */
  lists?: Record<string, ListFacts>;
  /** The language that the store is written in. */
  language?: string;
  /** The page itself, where it shows what it is called. */
  self?: { id: string; name: string };
}

/** A product as it is kept: its address depends on where the page is. */
export interface SourceProduct extends ProductFacts {
  slug?: string;
}

/** An article in the same way. */
export type SourceArticle = Omit<ArticleFacts, 'url'> & { slug: string };

/** Blocks, and islands by name, of the version that was installed when they were taken. */
export interface UsedApp {
  versionId: string;
  blocks: Record<string, Block>;
  /** SHA-256 of the module, hex. */
  islands: Record<string, string>;
  /** As `InstalledApp` has them; not there in what was kept before the app platform told. */
  connectOrigins?: string[];
  choice?: number;
  /** The store that the page is of, where nobody has reviewed the version: only there its modules are served. */
  developmentStoreId?: string;
}

/** What a page shows in a locale other than the one it was written in. */
export interface Localisation {
  /** A text by the node's `TreeNode.entityId` and its field. */
  translateNode(nodeId: string, field: string): string | undefined;
  readonly locale: string;
  /** What the page itself is called. */
  translateName(): string | undefined;
  translateProduct(productId: string, field: string): string | undefined;
  translateCategory(categoryId: string, field: string): string | undefined;
  translateArticle(articleId: string, field: string): string | undefined;
}

/** Where a page is, as far as its address does not say. */
export type PagePlace = Pick<
  PlaceFacts,
  'trail' | 'productId' | 'variantId' | 'articleId' | 'query' | 'category' | 'categoryFields' | 'browse'
>;

/** Below which addresses products and articles are, among a store's pages. */
export const productsSlug = 'products';
export const categoriesSlug = 'categories';
export const blogSlug = 'blog';

/** What stands before the name of a form, and after it, in the address that the forms of a document post to. */
const formsOf = (storeId: string, ownerId: string, locale: string | undefined) => ({
  before: `/storefront/${storeId}/forms/${ownerId}.`,
  after: locale ? `?locale=${locale}` : '',
});

/**
 * The sources as a document is rendered with them, whose page, article, section or template `ownerId` is. Links to pages are relative, so that the same bytes lead to the right
 * place wherever the store is shown, and in every locale: `toPages` leads from the document to where pages are.
 */
export function placedSources(
  { products, articles, pages, categories, language, lists, self, storeId, ...sources }: PageSources,
  ownerId: string,
  toPages: string,
  { locale: other, ...around }: PagePlace & { locale?: string } = {},
): DocumentSources {
  const locale = other ?? language;
  const { trail = trailOf(self, toPages, locale), ...place } = around;
  return {
    ...sources,
    products: mapped(products, ({ slug, ...product }) =>
      slug === undefined ? product : { ...product, url: `${toPages}${productsSlug}/${slug}` },
    ),
    pages: mapped(pages, (slug) => toPages + slug),
    ...(categories && {
      categories: mapped(categories, (slug) => `${toPages}${categoriesSlug}/${slug}`),
    }),
    ...(articles && {
      articles: mapped(articles, ({ slug, ...article }) => ({
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
      ...(storeId !== undefined && { forms: formsOf(storeId, ownerId, other) }),
      ...place,
    },
  };
}

/** From the homepage to a page of the store's own. */
function trailOf(
  self: PageSources['self'],
  toPages: string,
  locale: string | undefined,
): PlaceFacts['trail'] | undefined {
  return self && [{ text: wordsIn(locale).home, url: toPages }, { text: self.name }];
}

/** Sources with the names and texts of their products and articles in a locale. */
export function localSources(sources: PageSources, local: Localisation): PageSources {
  const { products, articles, self } = sources;
  return {
    ...sources,
    products: mapped(products, (product, id) => ({
      ...product,
      name: local.translateProduct(id, 'name') ?? product.name,
      ...(product.options && { options: localOptions(id, product.options, local) }),
      ...(product.description !== undefined && {
        description: safely(local.translateProduct(id, 'description')) ?? product.description,
      }),
      ...(product.fields && {
        fields: localFields(product.fields, (field) => local.translateProduct(id, field)),
      }),
    })),
    ...(articles && {
      articles: mapped(articles, (article, id) => ({
        ...article,
        title: local.translateArticle(id, 'title') ?? article.title,
        excerpt: local.translateArticle(id, 'excerpt') ?? article.excerpt,
        ...(article.body !== undefined && {
          body: safely(local.translateArticle(id, 'content')) ?? article.body,
        }),
        ...(article.fields && {
          fields: localFields(article.fields, (field) => local.translateArticle(id, field)),
        }),
      })),
    }),
    ...(self && { self: { ...self, name: local.translateName() ?? self.name } }),
  };
}

/** Options with their names and values in a locale; each is translated by where it stands. */
const localOptions = (
  productId: string,
  options: readonly OptionFacts[],
  local: Localisation,
): OptionFacts[] =>
  options.map((option, i) => {
    const of = (field: string) => local.translateProduct(productId, `options.${i}.${field}`);
    const texts = option.values.map((_, j) => of(`values.${j}`) ?? null);
    const text = of('name');
    return {
      ...option,
      ...(text !== undefined && { text }),
      ...(texts.some((each) => each !== null) && { texts }),
    };
  });

/**
 * Values of custom fields in a locale. A text is translated as `customFields.<key>`, a text of a list or of several choices
 * as `customFields.<key>.<position>`. `decisions.md 20.4`
 */
export function localFields(
  fields: FieldsFacts,
  translate: (field: string) => string | undefined,
): FieldsFacts {
  return mapped(fields, ({ type, value }, key): FieldFacts => {
    const field = `${customFieldTextPrefix}${key}`;
    if (!translatedFieldTypes.has(type)) return { type, value };
    if (Array.isArray(value))
      return { type, value: value.map((text, i) => translate(`${field}.${i}`) ?? text) };
    const text = translate(field);
    return { type, value: (type === 'richText' ? safely(text) : text) ?? value };
  });
}

/** A translation is stored as it was sent. */
const safely = (html: string | undefined) => (html === undefined ? undefined : sanitiseHtml(html));

function mapped<Value, Result>(
  table: Readonly<Record<string, Value>>,
  map: (value: Value, key: string) => Result,
): Record<string, Result> {
  return Object.fromEntries(Object.entries(table).map(([key, value]) => [key, map(value, key)]));
}

/** Where a page is among its store's; an empty slug is the homepage's. */
export function pathInStore(slug: string, locale?: string): string {
  return `${locale ? `${locale}/` : ''}${slug}`;
}

/** Where a page is served below `/s`. */
export function pagePath(storeSlug: string, slug: string, locale?: string): string {
  return `/s/${storeSlug}/${pathInStore(slug, locale)}`;
}

/** Something that a live page shows, `0012_live_pages.sql`. */
export interface Dependency {
  kind:
    | ('section' | 'product' | 'category' | 'media' | 'page' | 'app' | 'block' | 'appData' | 'article')
    // Any of the store's, for whatever lists them: without a `ref`.
    | ('products' | 'articles');
  ref: string;
  /** Of an app: the version that its blocks were taken from. */
  version: string | null;
}

/** All that a page depends on, its tree being made of the same, in one order, each once: also what was not there. */
export function dependenciesOf(
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
      add('app', [appId], own(sources.apps, appId)?.versionId ?? null);
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
    add('appData', appDataOf(tree, sources).map(nameOf));
  }
  return [...found.keys()].sort().map((key) => found.get(key)!);
}

/** As many values of app data as a page asks for: an app has 500, and may bind every node to as many in every list. */
const mostAppValues = 20_000;

/**
 * The values of app data that a tree's bindings ask for: the product's around a node before the site's, in a list those of
 * each product. Of more than a page may ask for those of the first nodes.
 */
export function appDataOf(
  tree: TreeNode,
  { lists = {}, productId: own = null }: Pick<PageSources, 'lists'> & { productId?: string | null } = {},
): AppDataName[] {
  const found = new Map<string, AppDataName>();
  const visit = (node: TreeNode, above: readonly string[]) => {
    const { productId } = node.specials;
    const around = typeof productId === 'string' ? [productId] : above;
    for (const { appId, key } of node.bindings) {
      const names: AppDataName[] = [{ appId, key, owner: 'site', ownerId: null }];
      for (const ownerId of around) names.push({ appId, key, owner: 'product', ownerId });
      for (const name of names) found.set(nameOf(name), name);
      if (found.size >= mostAppValues) return;
    }
    const query = listQueryOf(node);
    const listed = query?.type === 'productList' ? (lists[listKey(query)]?.ids ?? []) : around;
    for (const child of node.children) visit(child, listed);
  };
  visit(tree, own === null ? [] : [own]);
  return [...found.values()];
}

/** Whether a tree shows products, by their ids or in lists. */
export function showsProducts(tree: TreeNode | undefined): boolean {
  if (!tree) return false;
  const { productIds, lists } = references(tree);
  return productIds.size > 0 || [...lists.values()].some(({ type }) => type === 'productList');
}

/** How a value of app data is written as a dependency. */
export function nameOf({ appId, key, owner, ownerId }: AppDataName): string {
  return `${appId}/${key}/${owner}/${ownerId ?? ''}`;
}

/** A member of an object that is a table: nothing that every object has. */
export function own<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
