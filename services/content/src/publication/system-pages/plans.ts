import {
  type Product as CatalogProduct,
  mediaPath,
  type ProductFacts,
  type ShopCategory,
} from '@waybill/contracts';
import { createExcerpt, sanitiseHtml } from '@waybill/html';
import {
  type BrowseFacts,
  type FieldsFacts,
  getWords,
  type MediaFacts,
  type PageDocument,
  type TreeNode,
} from '@waybill/page';
import type { Context } from '../../config.ts';
import { listValues } from '../../translations/values/queries.ts';
import { translateWith } from '../../translations/values/translations.ts';
import { documentOwner } from '../owners/owner.ts';
import { templateId } from '../owners/template-kinds.ts';
import { type DocumentHtml, documentHtml } from '../rendering/document-html.ts';
import {
  type BrowseQuery,
  emptyBrowseQuery,
  type GatherOptions,
  gatherSources,
  mediaOfFields,
  productsOfFields,
  toArticle,
  type VisitContext,
} from '../rendering/gather.ts';
import type { Layout } from '../rendering/layout.ts';
import { listTranslatables, localisation, localiseHead } from '../rendering/localise.ts';
import { Lookups, toProduct } from '../rendering/lookups.ts';
import { renderPage } from '../rendering/render-page.ts';
import {
  blogSlug,
  categoriesSlug,
  type Localisation,
  localiseFields,
  type PageContext,
  type PageSources,
  productsSlug,
  type UsedApp,
} from '../rendering/sources.ts';
import type { Subject } from '../rendering/structured-data.ts';
import type { VisitedStore } from '../served-documents/queries.ts';
import type { LiveArticle } from './queries.ts';

/** A page to be made from a document. */
export interface Plan {
  document: PageDocument;
  apps?: Record<string, UsedApp>;
  /** The owner of the document's texts: a template's id, or a page's. */
  ownerId: string;
  toPages: string;
  visited: VisitContext;
  /** Adds the item that the page is about to its sources. */
  bind?(sources: PageSources, lookups: Lookups): Promise<void> | void;
  /** Returns the name and address of the page in the language of the visit. */
  describe(sources: PageSources, local: Localisation | undefined): Description;
}

interface Description {
  name: string;
  description?: string;
  place?: PageContext;
  settings?: Readonly<Record<string, unknown>>;
  isHomepage?: boolean;
  /** Its slug among the store's pages, if it differs from the requested one. */
  slug?: string;
  /** Whether the requested path contains choices of the visitor that `slug` leaves out. */
  hasChoices?: boolean;
  noIndex?: boolean;
  subject?: Subject;
}

/** A visit to an address of a store. */
export interface Visit {
  store: VisitedStore;
  locale: string | undefined;
  /** Relative to the store. */
  path: string;
  /** Allows making a page for the visitor; throws when too many were made for them. */
  admit?: (() => Promise<void>) | undefined;
}

/** The sources of a plan's document, gathered for one visit. */
export interface Gathered {
  sources: PageSources;
  tree: TreeNode | undefined;
  values: Awaited<ReturnType<typeof listValues>>;
  local: Localisation | undefined;
  about: Description;
}

/**
 * Gathers the sources of a plan's page; undefined beyond the last page of its lists.
 * @throws not_found for an unknown store, resource_unavailable when a required service is unavailable
 */
export async function gatherPlan(
  context: Context,
  { store, locale }: Visit,
  { document, apps, ownerId, visited, bind, describe }: Plan,
  sections: GatherOptions['sections'],
  lookups = new Lookups(context, store.id),
): Promise<Gathered | undefined> {
  const options = { sections, visited, ...(apps && { keep: apps }) };
  const { sources, tree, browse } = await gatherSources(context, store.id, document, lookups, options);
  await bind?.(sources, lookups);
  const pages = Object.values(sources.lists ?? {}).map((list) => list.pages);
  if ((visited.page ?? 1) > Math.max(1, ...pages)) return undefined;
  const values = locale
    ? await listValues(context.db, store.id, locale, listTranslatables(ownerId, tree, sources))
    : [];
  const local = locale ? localisation(ownerId, locale, values) : undefined;
  const about = describe(sources, local);
  const place = browse && { ...about.place, browse: localFacets(browse, sources, local) };
  return { sources, tree, values, local, about: place ? { ...about, place } : about };
}

/** Returns facets with their options named as the shown products name them. */
function localFacets(
  browse: BrowseFacts,
  { products }: PageSources,
  local: Localisation | undefined,
): BrowseFacts {
  if (!local) return browse;
  const names = new Map<string, string>();
  const texts = new Map<string, string>();
  for (const [id, { options = [] }] of Object.entries(products))
    for (const [i, { name, values }] of options.entries()) {
      const key = `option.${name}`;
      const text = local.translateProduct(id, `options.${i}.name`);
      if (text !== undefined) names.set(key, text);
      for (const [j, value] of values.entries()) {
        const translated = local.translateProduct(id, `options.${i}.values.${j}`);
        if (translated !== undefined) texts.set(`${key}\0${value}`, translated);
      }
    }
  const facets = browse.facets.map((facet) => {
    const named = { ...facet, name: names.get(facet.key) ?? facet.name };
    if (!('values' in named)) return named;
    return {
      ...named,
      values: named.values.map((each) => {
        const text = texts.get(`${facet.key}\0${each.value}`);
        return text === undefined ? each : { ...each, text };
      }),
    };
  });
  return { ...browse, facets };
}

/** Renders the complete page of a plan in its layout. */
export function renderPlan(
  { config }: Pick<Context, 'config'>,
  { store, locale, path }: Visit,
  { ownerId, toPages }: Plan,
  { sources, tree, values, local, about }: Gathered,
  layout: Layout,
): DocumentHtml {
  const rendered = renderPage(ownerId, tree, sources, { local, toPages, place: { ...about.place } });
  const settings = {
    ...about.settings,
    ...(about.description && { description: about.description }),
    ...(about.noIndex && { noindex: true }),
  };
  const trail = about.place?.trail;
  const head = { ...buildHead({ store, locale, path }, { ...about, settings }), ...(trail && { trail }) };
  return documentHtml(config, { ...head, ...pageHead(about, ownerId, values) }, rendered, layout);
}

/** Returns the data for the head of a page at the address of a visit. */
export function buildHead(
  { store, locale, path }: Visit,
  { name, slug = path, hasChoices = false, settings = {}, isHomepage = false, subject }: Description,
) {
  const { id: storeId, isDevelopment, defaultLocale, locales } = store;
  return {
    storeId,
    storeName: store.name,
    storeSlug: store.slug,
    isDevelopment,
    defaultLocale,
    locales,
    name,
    slug,
    is_homepage: isHomepage,
    settings,
    ...(locale && { locale }),
    ...(hasChoices && { chosenPath: path }),
    ...(subject && { subject }),
  };
}

/** The document of a template, and the builds of apps' blocks that it was published with. */
type Template = Pick<Plan, 'document' | 'apps'>;

/** A product with its public custom fields. */
export type Product = CatalogProduct & Pick<ProductFacts, 'fields'>;

/** Returns the store's product at a slug, as catalog has it now; null when there is none. */
export async function findProduct(
  { peers }: Pick<Context, 'peers'>,
  storeId: string,
  slug: string,
): Promise<Product | null> {
  if (!peers.has('catalog')) return null;
  const path = '/internal/shop/product';
  const reply = await peers.call<{ product: Product | null; fields?: Product['fields'] }>(
    'catalog',
    'POST',
    path,
    { storeId, slug },
  );
  return reply?.product ? { ...reply.product, fields: reply.fields ?? {} } : null;
}

/** Adds the product codes that search engines read. */
function withCodes(facts: PageSources['products'][string], { variants }: Product) {
  const codes = new Map(variants.map(({ id, sku, barcode }) => [id, { sku, barcode }]));
  return { ...facts, variants: facts.variants.map((variant) => ({ ...variant, ...codes.get(variant.id) })) };
}

/** Returns a category of the store by its id or slug, as catalog has it now; null when there is none. */
export async function findShopCategory(
  { peers }: Pick<Context, 'peers'>,
  storeId: string,
  category?: string,
): Promise<ShopCategory | null> {
  if (!peers.has('catalog')) return null;
  const request = { storeId, ...(category !== undefined && { category }) };
  const path = '/internal/shop/category';
  const reply = await peers.call<{ category: ShopCategory | null }>('catalog', 'POST', path, request);
  return reply?.category ?? null;
}

/** Returns a category as its page shows it, in the language of the visit. */
export async function readCategoryFacts(
  { db }: Pick<Context, 'db'>,
  { store, locale }: Visit,
  { id, name, description, seo, imageMediaId, trail, children, fields = {} }: ShopCategory,
) {
  const refs = [id, ...trail.map((each) => each.id), ...children.map((each) => each.id)];
  const values = locale
    ? await listValues(
        db,
        store.id,
        locale,
        refs.map((entityId) => ({ entityType: 'category' as const, entityId })),
      )
    : [];
  const translate = translateWith(values);
  const own = (field: string, text: string) => translate('category', id, field) ?? text;
  const named = (category: { id: string; name: string; slug: string }) => ({
    text: translate('category', category.id, 'name') ?? category.name,
    url: `../${categoriesSlug}/${category.slug}`,
  });
  const translated = translate('category', id, 'description');
  return {
    id,
    name: own('name', name),
    // Sanitised, because a translation is stored as it was sent.
    description: translated === undefined ? description : sanitiseHtml(translated),
    seo: { title: own('seo.title', seo.title), description: own('seo.description', seo.description) },
    seoImage: seo.imageMediaId ?? imageMediaId,
    imageMediaId,
    trail: trail.map(named),
    children: children.map(named),
    fields: localiseFields(fields, (field) => translate('category', id, field)),
  };
}
export type ShownCategory = Awaited<ReturnType<typeof readCategoryFacts>>;

/** Returns the settings of a page's head with an item's own title and picture, as far as it has them. */
const headSettings = (title: string, imageMediaId: string | null) => ({
  seo: { ...(title && { title }), ...(imageMediaId && { imageMediaId }) },
});

/** Plans the page of a product category, with the visitor's choice among its products. */
export function categoryPlan(
  template: Template,
  visit: Visit,
  category: ShownCategory,
  { page = 1, browse = emptyBrowseQuery }: { page?: number; browse?: BrowseQuery } = {},
): Plan {
  const { id, name, description, seo, seoImage, imageMediaId, trail, children, fields } = category;
  let image: MediaFacts | undefined;
  return {
    ...template,
    ownerId: templateId('category'),
    toPages: '../',
    visited: { page, shopCategoryId: id, browse },
    async bind(sources, lookups) {
      await bindFields(sources, lookups, fields);
      if (imageMediaId !== null) image = (await lookups.media([imageMediaId])).get(imageMediaId);
    },
    describe: () => ({
      name,
      description: seo.description || createExcerpt(description),
      settings: headSettings(seo.title, seoImage),
      // Search engines should find the category, not each choice among its products.
      noIndex: browse.pairs.length > 0,
      place: {
        category: { id, name, description, children, ...(image && { image }) },
        categoryFields: fields,
        trail: trailTo(visit, '../', ...trail, { text: name }),
      },
    }),
  };
}

/** Plans a product's own page, with the variant that its address names. */
export const productPlan = (
  template: Template,
  visit: Visit,
  product: Product,
  page = 1,
  variantId?: string,
): Plan => ({
  ...template,
  ownerId: templateId('product'),
  toPages: '../',
  visited: { page, productId: product.id },
  bind: (sources, lookups) => bindProduct(sources, lookups, product),
  describe({ products, currency, comparesLowest = false }, local) {
    const name = local?.translateProduct(product.id, 'name') ?? product.name;
    const facts = products[product.id]!;
    const { description = '' } = facts;
    // A copy of the previous version of the catalog sends no SEO texts.
    const seo = product.seo ?? { title: '', description: '', imageMediaId: null };
    /** Returns an SEO text in the language of the visit; a translation of the text that it stands for comes first. */
    const seoText = (field: 'title' | 'description', replaced: 'name' | 'description') =>
      local?.translateProduct(product.id, `seo.${field}`) ??
      (local?.translateProduct(product.id, replaced) === undefined ? seo[field] : '');
    return {
      name,
      description:
        seoText('description', 'description') ||
        createExcerpt(local ? localDescription(local, product.id, description) : description),
      settings: headSettings(seoText('title', 'name'), seo.imageMediaId),
      subject: {
        kind: 'product',
        facts: withCodes(facts, product),
        currency,
        vendor: product.vendor ?? '',
        comparesLowest,
      },
      // To search engines, all variants are the same product.
      slug: `${productsSlug}/${product.slug}${page > 1 ? `?page=${page}` : ''}`,
      hasChoices: true,
      place: {
        productId: product.id,
        ...(variantId !== undefined && { variantId }),
        trail: trailTo(visit, '../', { text: name }),
      },
    };
  },
});

/** The texts of an article in the language of a visit; `body` is HTML. */
export interface ArticleTexts {
  name: string;
  excerpt: string;
  body: string;
}

/** Returns the texts of an article in the language of a visit. */
export async function readArticleTexts(
  { db }: Pick<Context, 'db'>,
  { store, locale }: Visit,
  { id, title, excerpt, content }: LiveArticle,
): Promise<ArticleTexts> {
  if (!locale) return { name: title, excerpt, body: content };
  const values = await listValues(db, store.id, locale, [{ entityType: 'article', entityId: id }]);
  const local = localisation(id, locale, values);
  const translated = local.translateArticle(id, 'content');
  return {
    name: local.translateArticle(id, 'title') ?? title,
    excerpt: local.translateArticle(id, 'excerpt') ?? excerpt,
    // Sanitised, because a translation is stored as it was sent.
    body: translated === undefined ? content : sanitiseHtml(translated),
  };
}

/** Plans the page of an article whose body is HTML. */
export const articlePlan = (
  template: Template,
  visit: Visit,
  article: LiveArticle,
  { name, excerpt, body }: ArticleTexts,
  page = 1,
): Plan => ({
  ...template,
  ownerId: templateId('article'),
  toPages: '../',
  visited: { page },
  bind: (sources, lookups) => bindArticle(visit.store.id, sources, lookups, article, body),
  describe: ({ articles }) => ({
    name,
    description: excerpt,
    subject: { ...findPlanSubject(visit, article), ...(articles && { facts: articles[article.id]! }) },
    place: { articleId: article.id, trail: buildArticleBreadcrumbs(visit, name) },
  }),
});

/** Returns the breadcrumbs of an article. */
export const buildArticleBreadcrumbs = (visit: Visit, name: string) =>
  trailTo(visit, '../', { text: getVisitWords(visit).blog, url: './' }, { text: name });

/** Describes an article to search engines, with its cover in the original size. */
export function findPlanSubject(
  { store }: Visit,
  { published_at, cover_media_id: cover }: LiveArticle,
): Extract<Subject, { kind: 'article' }> {
  const image = cover === null ? {} : { image: { url: mediaPath(store.id, cover) } };
  return { kind: 'article', facts: { publishedAt: published_at.toISOString(), ...image } };
}

/** Plans the list of articles of the blog, or of a category, in the language of the visit. */
export function blogPlan(
  template: Template,
  visit: Visit,
  category?: { id: string; name: string },
  page = 1,
): Plan {
  const { blog } = getVisitWords(visit);
  const toPages = category ? '../../' : '../';
  const trail = category
    ? trailTo(visit, toPages, { text: blog, url: `${toPages}${blogSlug}/` }, { text: category.name })
    : trailTo(visit, toPages, { text: blog });
  return {
    ...template,
    ownerId: templateId('blog'),
    toPages,
    visited: { page, ...(category && { categoryId: category.id }) },
    describe: () => ({ name: category?.name ?? blog, place: { trail } }),
  };
}

/** Plans the page of search results. */
export function searchPlan(
  template: Template,
  visit: Visit,
  q: string,
  page = 1,
  browse = emptyBrowseQuery,
): Plan {
  const name = getVisitWords(visit).search;
  return {
    ...template,
    ownerId: templateId('search'),
    toPages: './',
    visited: { page, q, browse },
    describe: () => ({
      name,
      slug: 'search',
      hasChoices: true,
      noIndex: true,
      place: { query: q, trail: trailTo(visit, './', { text: name }) },
    }),
  };
}

/** Plans the not-found page; `toPages` is the path from it to the directory of pages. */
export const notFoundPlan = (template: Template, visit: Visit, toPages: string): Plan => ({
  ...template,
  ownerId: templateId('notFound'),
  toPages,
  visited: {},
  describe: () => ({ name: getVisitWords(visit).notFound, slug: '', noIndex: true }),
});

/** Returns the words of default pages in the language of a visit. */
export const getVisitWords = ({ store, locale }: Visit) => getWords(locale ?? store.defaultLocale);

const trailTo = (visit: Visit, toPages: string, ...steps: { text: string; url?: string }[]) => [
  { text: getVisitWords(visit).home, url: toPages },
  ...steps,
];

/** Returns the name of a page of the store in a locale. */
const pageHead = (
  { name, settings = {} }: Description,
  ownerId: string,
  values: Parameters<typeof localiseHead>[2],
) => (documentOwner(ownerId).kind === 'page' ? localiseHead(ownerId, { name, settings }, values) : {});

/** Adds everything that a product's own page shows of it. */
async function bindProduct(
  sources: PageSources,
  lookups: Lookups,
  { description, ...product }: Product,
): Promise<void> {
  const { facts, mediaIds } = toProduct(product);
  const own = new Map(product.variants.map((variant) => [variant.id, variant.mediaId]));
  const ofVariants = product.variants.flatMap(({ mediaId }) => mediaId ?? []);
  const media = await lookups.media([
    ...new Set([...mediaIds, ...ofVariants, ...mediaOfFields(facts.fields)]),
  ]);
  await bindFields(sources, lookups, facts.fields);
  const images = mediaIds.flatMap((id) => media.get(id) ?? []);
  const variants = facts.variants.map((variant) => {
    const mediaId = own.get(variant.id);
    const image = mediaId && media.get(mediaId);
    return image ? { ...variant, image } : variant;
  });
  const first = images[0] ?? variants.find(({ image }) => image)?.image;
  sources.products[product.id] = { ...facts, variants, description, images, ...(first && { image: first }) };
}

/** Adds the pictures and products among public values of custom fields. */
async function bindFields(
  sources: PageSources,
  lookups: Pick<Lookups, 'media' | 'products'>,
  fields: FieldsFacts | undefined,
): Promise<void> {
  const [media, products] = await Promise.all([
    lookups.media(mediaOfFields(fields)),
    lookups.products(productsOfFields(fields)),
  ]);
  for (const [id, found] of media) sources.media[id] = found;
  for (const [id, { facts }] of products) sources.products[id] ??= facts;
}

/**
 * Adds everything that an article's own page shows of it. While media is unavailable, its cover is shown in the
 * original size.
 */
async function bindArticle(
  storeId: string,
  sources: PageSources,
  lookups: Lookups,
  article: LiveArticle,
  body: string,
): Promise<void> {
  const { cover_media_id: cover, id } = article;
  const plain = new Map<string, MediaFacts>(
    cover === null ? [] : [[cover, { url: mediaPath(storeId, cover) }]],
  );
  const media = cover === null ? plain : await lookups.media([cover]).catch(() => plain);
  // If these services are unavailable, the article's text is still shown.
  await bindFields(sources, lookups, article.fields).catch(() => {});
  sources.articles = { ...sources.articles, [id]: { ...toArticle(article, media), body } };
}

/** Returns a description in a locale, as `localiseSources` does. */
function localDescription(local: Localisation, productId: string, original: string): string {
  const translated = local.translateProduct(productId, 'description');
  // Sanitised, because a translation is stored as it was sent.
  return translated === undefined ? original : sanitiseHtml(translated);
}
