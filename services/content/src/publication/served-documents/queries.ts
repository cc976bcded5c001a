import { isSlug } from '@waybill/contracts';
import { type Columns, isDistributed, prepare, withinStore } from '@waybill/kernel';
import type { PageDocument } from '@waybill/page';
import type { Kysely } from 'kysely';
import type { FormerSlug, Tables } from '../../tables.ts';
import { type Languages, languageColumns, translationJoins } from '../../translations/languages/queries.ts';
import type { RenderedPage } from '../rendering/render-page.ts';
import type { PageSources } from '../rendering/sources.ts';

type Db = Kysely<Tables>;

/** A store as visitors see it. */
export type VisitedStore = Languages &
  Columns<
    Tables['store_fact'],
    { id: 'store_id'; name: 'name'; slug: 'slug'; isDevelopment: 'is_development' }
  >;

const bySlugOnly = 'select * from store_fact where slug = $1 order by updated_at desc limit 1';
const byId = 'select * from store_fact where store_id = $1';
const idOfSlug = prepare<{ id: string }>('live-store-id', `select store_id as id from (${bySlugOnly}) s`);

/**
 * Prepares a statement about the store of the slug `$1`; `store` is SQL for its row. On Citus the store's id is looked
 * up first, so that the statement runs on the server that has the store.
 */
export function prepareBySlug<Row>(name: string, text: (store: string) => string) {
  const onOneServer = prepare<Row>(name, text(bySlugOnly));
  const onCluster = prepare<Row>(`${name}-distributed`, withinStore('$1', text(byId)));
  return async (db: Db, storeSlug: string, ...values: readonly unknown[]): Promise<Row[]> => {
    if (!isDistributed(db)) return (await db.executeQuery(onOneServer([storeSlug, ...values]))).rows;
    const [store] = (await db.executeQuery(idOfSlug([storeSlug]))).rows;
    return store ? (await db.executeQuery(onCluster([store.id, ...values]))).rows : [];
  };
}

/**
 * Prepares a statement that reads a store as visitors see it; with more columns and joins, also the item at one of its
 * addresses.
 */
export const prepareStoreWith = <Row>(name: string, columns = '', joined = '') =>
  prepareBySlug<Row>(
    name,
    (store) => `
      select s.store_id as id, s.name, s.slug, s.is_development as "isDevelopment", ${languageColumns} ${columns}
      from (${store}) s ${translationJoins} ${joined}`,
  );

const visitedStore = prepareStoreWith<VisitedStore>('live-store');

/** Returns the store of a slug, if an event about it has arrived. */
export async function findVisitedStore(db: Db, storeSlug: string): Promise<VisitedStore | undefined> {
  if (!isSlug(storeSlug)) return undefined;
  return (await visitedStore(db, storeSlug))[0];
}

/**
 * The target of an address: a live page of a store, with everything that decides whether a kept document of it is still
 * valid.
 */
export interface Address
  extends Languages,
    Columns<Tables['store_fact'], { storeId: 'store_id'; storeSlug: 'slug' }>,
    Columns<Tables['page'], { pageId: 'id'; isHomepage: 'is_homepage' }> {
  /** Changes with the page, its head, and the store's name or default locale. */
  stamp: string;
}

const stamp = `concat_ws('/', l.version, p.revision, s.slug, s.name, s.locales[1]) as stamp`;
const addressColumns = `s.store_id as "storeId", s.slug as "storeSlug", p.id as "pageId",
  p.is_homepage as "isHomepage", ${languageColumns}, ${stamp}`;
const live = 'live_page l on l.store_id = p.store_id and l.page_id = p.id';
const selectPageWhere = (condition: string) => (store: string) =>
  `
  select ${addressColumns} from (${store}) s ${translationJoins}
  join page p on p.store_id = s.store_id and ${condition} join ${live}`;

const bySlug = prepareBySlug<Address>('live-by-slug', selectPageWhere('p.slug = $2'));
const homepage = prepareBySlug<Address>('live-homepage', selectPageWhere('p.is_homepage'));
const bySlugOrHomepage = prepareBySlug<Address & { isBySlug: boolean }>(
  'live-by-slug-or-homepage',
  (store) => `select *, true as "isBySlug" from (${selectPageWhere('p.slug = $2')(store)}) named
   union all select *, false from (${selectPageWhere('p.is_homepage')(store)}) home limit 1`,
);

/** Returns the live page at an address; an empty page slug means the homepage. */
export async function findAddress(db: Db, storeSlug: string, pageSlug: string): Promise<Address | undefined> {
  if (!isSlug(storeSlug) || (pageSlug !== '' && !isSlug(pageSlug))) return undefined;
  const rows = pageSlug === '' ? await homepage(db, storeSlug) : await bySlug(db, storeSlug, pageSlug);
  return rows[0];
}

/** The present address of a live page, a published article or an active product that was at another address before. */
export interface NewAddress extends Languages, Columns<Tables['store_fact'], { storeSlug: 'slug' }> {
  /** Empty for the homepage. */
  slug: (Tables['page'] | Tables['article'])['slug'];
}

type MovedKind = FormerSlug['kind'];
const joinFormerSlug = (kind: MovedKind) => `${translationJoins}
  join former_slug f on f.store_id = s.store_id and f.kind = '${kind}' and f.slug = $2`;
const newAddress = `s.slug as "storeSlug", ${languageColumns}`;
const movedPage = prepareBySlug<NewAddress>(
  'live-moved-page',
  (store) => `select ${newAddress}, case when p.is_homepage then '' else p.slug end as slug from (${store}) s
   ${joinFormerSlug('page')} join page p on p.store_id = f.store_id and p.id = f.owner_id and p.slug <> f.slug
   join ${live}`,
);
const movedArticle = prepareBySlug<NewAddress>(
  'live-moved-article',
  (store) => `select ${newAddress}, a.slug from (${store}) s
   ${joinFormerSlug('article')} join article a on a.store_id = f.store_id and a.id = f.owner_id and a.slug <> f.slug
     and a.status = 'published'`,
);

const movedProduct = prepareBySlug<NewAddress>(
  'live-moved-product',
  (store) => `select ${newAddress}, k.slug from (${store}) s
   ${joinFormerSlug('product')} join known_product k on k.store_id = f.store_id and k.id = f.owner_id
     and k.status = 'active' and k.slug <> f.slug and not k.is_deleted`,
);
const movedCategory = prepareBySlug<NewAddress>(
  'live-moved-category',
  (store) => `select ${newAddress}, k.slug from (${store}) s
   ${joinFormerSlug('category')} join known_category k on k.store_id = f.store_id and k.id = f.owner_id
     and k.slug <> f.slug and not k.is_deleted`,
);
const moved = { page: movedPage, article: movedArticle, product: movedProduct, category: movedCategory };

/** Returns the present address of the item that was at an address before; undefined when there was none. */
export async function findCurrentAddress(
  db: Db,
  kind: MovedKind,
  storeSlug: string,
  slug: string,
): Promise<NewAddress | undefined> {
  if (!isSlug(storeSlug) || !isSlug(slug)) return undefined;
  return (await moved[kind](db, storeSlug, slug))[0];
}

/** Resolves `{slug}`: a live page, or else the homepage in a locale that may be spelled like it. */
export async function findAddressOrHomepage(
  db: Db,
  storeSlug: string,
  pageSlug: string,
): Promise<{ address: Address | undefined; isBySlug: boolean }> {
  if (!isSlug(pageSlug)) return { address: await findAddress(db, storeSlug, ''), isBySlug: false };
  if (!isSlug(storeSlug)) return { address: undefined, isBySlug: false };
  const [address] = await bySlugOrHomepage(db, storeSlug, pageSlug);
  return { address, isBySlug: address?.isBySlug === true };
}

/** A complete live page, read at one moment. */
export interface LiveContent
  extends Languages,
    Columns<
      Tables['store_fact'],
      { storeId: 'store_id'; storeName: 'name'; storeSlug: 'slug'; isDevelopment: 'is_development' }
    >,
    Pick<Tables['page'], 'name' | 'is_homepage'> {
  /** Its path within the store; empty for the homepage. */
  slug: string;
  settings: Record<string, unknown>;
  stamp: string;
  rendered: RenderedPage;
  document: PageDocument;
  sources: PageSources;
}

const contentColumns = (
  columns: string,
) => `s.store_id as "storeId", s.name as "storeName", s.slug as "storeSlug", s.is_development as "isDevelopment",
  p.name, case when p.is_homepage then '' else p.slug end as slug, p.is_homepage, p.settings, ${languageColumns}, ${stamp}, ${columns}`;
const content = (columns: string) =>
  withinStore(
    '$1',
    `select ${contentColumns(columns)} from store_fact s ${translationJoins}
     join page p on p.store_id = s.store_id and p.id = $2 join ${live} where s.store_id = $1`,
  );

const rendered = prepare<Omit<LiveContent, 'document' | 'sources'>>('live-rendered', content('l.rendered'));
const sources = prepare<Omit<LiveContent, 'rendered'>>('live-sources', content('l.document, l.sources'));

/** Returns a live page as rendered, for visitors in its original language. */
export async function findRendered(db: Db, storeId: string, pageId: string) {
  const { rows } = await db.executeQuery(rendered([storeId, pageId]));
  return rows[0];
}

/** Returns the sources of a live page, for rendering it in another locale. */
export async function findSources(db: Db, storeId: string, pageId: string) {
  const { rows } = await db.executeQuery(sources([storeId, pageId]));
  return rows[0];
}
