import type { InstalledApp, ShopBrowse, StoreFacts } from '@waybill/contracts';
import {
  type Block,
  type BrowseFacts,
  type FieldsFacts,
  findMediaId,
  type ListFacts,
  type ListQuery,
  materialiseDocument,
  type PageDocument,
  type ProductListQuery,
  references,
  type TreeNode,
} from '@waybill/page';
import type { Context } from '../../config.ts';
import { errors } from '../../errors.ts';
import { mediaBases } from '../../shared/stores/addresses.ts';
import { storeFacts } from '../../shared/stores/stores.ts';
import { assumedLocale, listCategorySlugs } from '../../translations/values/queries.ts';
import type { FoundProduct, Lookups } from './lookups.ts';
import { comparesLowest } from './price-comparison.ts';
import {
  findShownArticles,
  type ListedArticle,
  listLiveSlugs,
  listSectionSnapshots,
  listShownArticles,
  type SectionSnapshot,
} from './queries.ts';
import {
  collectAppData,
  getOwnMember,
  type PageSources,
  type SourceArticle,
  type UsedApp,
} from './sources.ts';

export interface GatherOptions {
  /** The state of the sections: as last saved, for a publish, or as live pages show them. */
  sections: 'saved' | 'live';
  /**
   * Builds of apps' blocks to keep while the app is available and the merchant has chosen no other version. Otherwise
   * the installed builds are used.
   */
  keep?: Readonly<Record<string, UsedApp>>;
  /** A page that is not live yet but will be. */
  goesLive?: { id: string; slug: string };
  /** The page itself, if it is one of the store's own, for its breadcrumbs. */
  self?: { id: string; name: string };
  /** The parts of a visit that decide what the page's lists show. */
  visited?: VisitContext;
}

/** The parts of a visit that decide what the page's lists show. */
export interface VisitContext {
  /** The page of paged lists: 1, 2, … */
  page?: number;
  /** The search text. */
  q?: string;
  /** The blog category that the page is for. */
  categoryId?: string;
  /** The product category that the page is for. */
  shopCategoryId?: string;
  /** The visitor's choice among its products. */
  browse?: BrowseQuery;
  /** The product that the page is bound to. */
  productId?: string;
}

/** The part of a query that chooses products. */
export interface BrowseQuery {
  /** All of it by the names of the query, in a fixed order. */
  pairs: readonly (readonly [name: string, value: string])[];
  /** On a category's page: the words among its products. */
  q?: string;
  /** On the search page: the ids or slugs of categories, any of which matches. */
  categories?: readonly string[];
  sort?: NonNullable<ShopBrowse['sort']>;
  dir?: NonNullable<ShopBrowse['dir']>;
}

export const emptyBrowseQuery: BrowseQuery = { pairs: [] };

export interface GatheredSources {
  store: StoreFacts;
  sources: PageSources;
  /** The document with its references resolved; undefined when nothing is left of it. */
  tree: TreeNode | undefined;
  /** The choices among the products of the page's own list; absent when it has none. */
  browse?: BrowseFacts;
  /** The sections as they were read. */
  sections: SectionSnapshot[];
}

/**
 * Gathers the current sources that a document needs to become a page.
 * @throws not_found for an unknown store, resource_unavailable when a required service is unavailable
 */
export async function gatherSources(
  context: Context,
  storeId: string,
  document: PageDocument,
  lookups: Lookups,
  { sections: state, keep = {}, goesLive, self, visited = {} }: GatherOptions,
): Promise<GatheredSources> {
  const store = await storeFacts(context, storeId);
  if (!store) throw errors.not_found();
  const sections = await collectSections(context, storeId, document, state);
  const sectionDocuments = Object.fromEntries(sections.map(({ id, document }) => [id, document]));
  const apps = await collectUsedApps(storeId, [document, ...Object.values(sectionDocuments)], lookups, keep);

  const tree = materialiseDocument(document, { sections: sectionDocuments, apps });
  const needed = tree && references(tree);
  const showsBodies = tree !== undefined && listsBodies(tree);
  const { lists, browse, ...listed } = await gatherLists(context, storeId, needed?.lists, lookups, {
    ...visited,
    showsBodies,
    showsFilters: tree !== undefined && containsType(tree, 'productFilters'),
  });
  const categories = await listCategorySlugs(context.db, storeId, [...(needed?.categoryIds ?? [])]);
  const shownProducts = new Map([
    ...(await lookups.products([...(needed?.productIds ?? [])])),
    ...listed.products.map((product) => [product.facts.id, product] as const),
  ]);
  const linkedArticles = await findShownArticles(context.db, storeId, [...(needed?.articleIds ?? [])]);
  const articles = new Map([...linkedArticles, ...listed.articles].map((article) => [article.id, article]));
  const fields = listShownFields(tree, shownProducts, articles);
  const products = new Map([...(await lookups.products(productsOfFields(...fields))), ...shownProducts]);
  const pictures = listPictures(products, articles, fields);
  const { productId = null } = visited;
  const appValues = tree ? await lookups.appValues(collectAppData(tree, { lists, productId })) : [];
  const boundMediaIds = appValues.flatMap(({ value }) => findMediaId(value) ?? []);
  const media = await lookups.media([
    ...new Set([...(needed?.mediaIds ?? []), ...pictures, ...boundMediaIds]),
  ]);
  const pageIds = [...(needed?.pageIds ?? [])];
  const slugs = await listLiveSlugs(context.db, storeId, pageIds);
  if (goesLive && pageIds.includes(goesLive.id)) slugs[goesLive.id] ??= goesLive.slug;

  const sources: PageSources = {
    currency: store.currency,
    storeId,
    sections: sectionDocuments,
    apps,
    products: addImages(products, media),
    media: Object.fromEntries(media),
    bases: mediaBases(context.config, store.slug),
    pages: slugs,
    appValues,
    ...(articles.size > 0 && {
      articles: Object.fromEntries([...articles.values()].map((row) => [row.id, toArticle(row, media)])),
    }),
    ...(categories.size > 0 && { categories: Object.fromEntries(categories) }),
    ...(Object.keys(lists).length > 0 && { lists }),
    // A product's own page tells its former price to search engines, too.
    ...((productId !== null || (tree && containsType(tree, 'price'))) &&
      (await comparesLowest(context, storeId)) && { comparesLowest: true }),
    language: store.locales?.[0] ?? assumedLocale,
    ...(self && tree && containsType(tree, 'breadcrumbs') && { self }),
  };
  return { store, sources, tree, sections, ...(browse && { browse }) };
}

/** Lists the values of custom fields that the document can show: those of its products and those of its articles. */
function listShownFields(
  tree: TreeNode | undefined,
  products: ReadonlyMap<string, FoundProduct>,
  articles: ReadonlyMap<string, ListedArticle>,
) {
  return [
    ...(tree && containsType(tree, 'productField')
      ? [...products.values()].map(({ facts }) => facts.fields)
      : []),
    ...(tree && containsType(tree, 'articleField')
      ? [...articles.values()].map((article) => article.fields)
      : []),
  ];
}

/** Lists the assets that the document shows of its products, articles and custom fields. */
const listPictures = (
  products: ReadonlyMap<string, FoundProduct>,
  articles: ReadonlyMap<string, ListedArticle>,
  fields: ReturnType<typeof listShownFields>,
): string[] => [
  ...[...products.values()].flatMap(({ mediaIds }) => mediaIds.slice(0, 1)),
  ...[...articles.values()].flatMap(({ cover_media_id }) => cover_media_id ?? []),
  ...mediaOfFields(...fields),
];

/** Adds to each product its first picture, if there is one. */
const addImages = (
  products: ReadonlyMap<string, FoundProduct>,
  media: Awaited<ReturnType<Lookups['media']>>,
): PageSources['products'] =>
  Object.fromEntries(
    [...products].map(([id, { facts, mediaIds }]) => {
      const image = mediaIds[0] && media.get(mediaIds[0]);
      return [id, image ? { ...facts, image } : facts];
    }),
  );

/** Gathers the contents of a page's lists, each by a request of its own. */
async function gatherLists(
  { db }: Context,
  storeId: string,
  queries: ReadonlyMap<string, ListQuery> = new Map(),
  lookups: Lookups,
  visited: VisitContext & { showsBodies: boolean; showsFilters: boolean },
): Promise<{
  lists: Record<string, ListFacts>;
  products: FoundProduct[];
  articles: ListedArticle[];
  browse?: BrowseFacts;
}> {
  const { page = 1, categoryId, showsBodies } = visited;
  let browse: BrowseFacts | undefined;
  const lists: Record<string, ListFacts> = {};
  const products: FoundProduct[] = [];
  const articles: ListedArticle[] = [];
  for (const [key, query] of queries) {
    const { limit, paged } = query;
    const number = paged ? page : 1;
    const offset = (number - 1) * limit;
    let ids: string[] = [];
    let total = 0;
    if (query.type === 'articleList') {
      const articleQuery = { ...query, categoryId: query.categoryId ?? categoryId ?? null };
      const found = await listShownArticles(db, storeId, articleQuery, offset, {
        withBodies: showsBodies,
      });
      articles.push(...found.articles);
      ids = found.articles.map(({ id }) => id);
      total = found.total;
    } else if (offset <= maxOffset) {
      const found = await findProducts(query, offset, lookups, visited);
      if (found === null) {
        lists[key] = { ids, page: number, pages: 1 };
        continue;
      }
      browse ??= found.browse;
      products.push(...found.products);
      ids = found.products.map(({ facts }) => facts.id);
      total = found.total;
    }
    lists[key] = { ids, page: number, pages: paged ? Math.max(1, Math.ceil(total / limit)) : 1 };
  }
  return { lists, products, articles, ...(browse && { browse }) };
}

interface FoundProducts {
  products: FoundProduct[];
  total: number;
  browse?: BrowseFacts;
}

/**
 * Finds the products of a list. In the list of the page's own category or search, the visitor's choice applies; a store
 * with too many products to search shows it without choices. Null when the list has nothing to refer to.
 */
async function findProducts(
  { source, sort, dir, limit }: ProductListQuery,
  offset: number,
  lookups: Lookups,
  { q, shopCategoryId, browse = emptyBrowseQuery, showsFilters }: VisitContext & { showsFilters: boolean },
): Promise<FoundProducts | null> {
  const isSearch = source.kind === 'search';
  const category = source.kind === 'category' ? (source.id ?? shopCategoryId) : undefined;
  if (isSearch ? q === undefined : source.kind === 'category' && category === undefined) return null;
  const isPagesOwnList = isSearch || (source.kind === 'category' && category === shopCategoryId);
  if (isPagesOwnList) {
    const { pairs, categories = [], ...chosen } = browse;
    const words = isSearch ? q! : (browse.q ?? '');
    // The list's own order applies until the visitor chooses another, or searches where it was not meant for.
    const isTextSearch = words.trim() !== '';
    const ordered = isTextSearch || categories.length > 0 || sort === 'category' ? {} : { sort, dir };
    const found = await lookups.browse({
      ...((isSearch || isTextSearch) && { q: words }),
      ...(!isSearch && { categoryId: category! }),
      ...(categories.length > 0 && { categories: [...categories] }),
      filters: pairs.filter(([name]) => name.startsWith('filter[')).map(([name, value]) => ({ name, value })),
      ...(chosen.sort === undefined && ordered),
      ...(chosen.sort && { sort: chosen.sort }),
      ...(chosen.dir && { dir: chosen.dir }),
      limit,
      offset,
      facets: showsFilters,
    });
    if (found) {
      const { products, total, facets } = found;
      const query = [...(isSearch ? [['q', q!] as const] : []), ...pairs];
      return { products, total, browse: { query, total, facets, isSearch: isSearch || isTextSearch } };
    }
  }
  const resolvedSource =
    source.kind === 'search'
      ? { kind: 'search' as const, q: q! }
      : source.kind === 'category'
        ? { kind: 'category' as const, id: category! }
        : source;
  return lookups.shopList({ source: resolvedSource, sort, dir, limit, offset } as Parameters<
    Lookups['shopList']
  >[0]);
}

/** Highest offset that catalog counts to. */
const maxOffset = 100_000;

/** Converts an article to the form that pages show. */
export function toArticle(
  { id, title, slug, excerpt, cover_media_id, published_at, body, fields = {} }: ListedArticle,
  media: ReadonlyMap<string, PageSources['media'][string]>,
): SourceArticle {
  const image = cover_media_id === null ? undefined : media.get(cover_media_id);
  return {
    id,
    title,
    slug,
    excerpt,
    publishedAt: published_at.toISOString(),
    ...(image && { image }),
    ...(Object.keys(fields).length > 0 && { fields }),
    ...(body != null && { body }),
  };
}

/** Returns the public values of one type among custom fields, without duplicates. */
const valuesOfType =
  (fieldType: 'media' | 'product') =>
  (...fields: (FieldsFacts | undefined)[]): string[] => [
    ...new Set(
      fields
        .flatMap((each) => Object.values(each ?? {}))
        .flatMap(({ type, value }) => (type === fieldType ? String(value) : [])),
    ),
  ];

/** Returns the ids of the pictures among public values of custom fields. */
export const mediaOfFields = valuesOfType('media');
/** Returns the ids of the products among public values of custom fields. */
export const productsOfFields = valuesOfType('product');

/** Whether a list of articles shows their bodies. */
const listsBodies = (tree: TreeNode): boolean =>
  tree.type === 'articleList' ? containsType(tree, 'articleBody') : tree.children.some(listsBodies);

/** Whether a tree contains an element of a type. */
export function containsType(tree: TreeNode, type: string): boolean {
  return tree.type === type || tree.children.some((child) => containsType(child, type));
}

/** Maximum number of bytes of sections in a page, about twice what it can show. */
const maxSectionBytes = 16 * 1024 * 1024;

/** Returns the sections that a document holds, and those that they hold, at any depth, up to the size limit. */
async function collectSections(
  { db }: Context,
  storeId: string,
  document: PageDocument,
  state: 'saved' | 'live',
): Promise<SectionSnapshot[]> {
  const found = new Map<string, SectionSnapshot>();
  let pendingIds = [...references(document).sectionIds];
  let remainingBytes = maxSectionBytes;
  while (pendingIds.length > 0) {
    const states = await listSectionSnapshots(db, storeId, pendingIds, state, remainingBytes);
    for (const { bytes, ...section } of states) {
      found.set(section.id, section);
      remainingBytes -= bytes;
    }
    const nestedIds = states.flatMap((each) => [...references(each.document).sectionIds]);
    pendingIds = [...new Set(nestedIds)].filter((id) => !found.has(id));
  }
  return [...found.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Returns the blocks that the documents refer to, with the islands of their versions. */
async function collectUsedApps(
  storeId: string,
  documents: readonly PageDocument[],
  lookups: Lookups,
  keep: Readonly<Record<string, UsedApp>>,
): Promise<Record<string, UsedApp>> {
  const blocks = documents.flatMap((document) => [...references(document).blocks.values()]);
  if (blocks.length === 0) return {};
  const installed = await lookups.apps();
  const used: Record<string, UsedApp> = {};
  for (const appId of new Set(blocks.map((block) => block.appId))) {
    const app = installed.get(appId);
    if (!app) continue;
    const keys = new Set(blocks.filter((block) => block.appId === appId).map(({ blockKey }) => blockKey));
    const currentBuild = getOwnMember(keep, appId);
    const hasChosen = app.choice > (currentBuild?.choice ?? 0);
    used[appId] = currentBuild && !hasChosen ? currentBuild : createBuild(storeId, app, keys);
  }
  return used;
}

function createBuild(storeId: string, app: InstalledApp, keys: ReadonlySet<string>): UsedApp {
  const { versionId, blocks, islands, connectOrigins, choice, isUnreviewed } = app;
  const usedBlocks = (blocks as Block[]).filter(({ key }) => keys.has(key));
  return {
    versionId,
    blocks: Object.fromEntries(usedBlocks.map((block) => [block.key, block])),
    islands: Object.fromEntries(islands.map(({ name, moduleSha256 }) => [name, moduleSha256])),
    connectOrigins,
    choice,
    ...(isUnreviewed && { developmentStoreId: storeId }),
  };
}
