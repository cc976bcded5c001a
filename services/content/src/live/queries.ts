import { slugPattern } from '@waybill/contracts';
import { prepare } from '@waybill/kernel';
import type { PageDocument } from '@waybill/page';
import type { Kysely } from 'kysely';
import type { MadePage } from '../publishing/make.ts';
import type { PageSources } from '../publishing/sources.ts';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;

/** The locales that a store has translations in, by jumps along an index rather than over every translation. */
const localesOf = (storeId: string) => `
  with recursive found (locale) as (
    (select locale from translation where store_id = ${storeId} and value <> '' order by locale limit 1)
    union all
    select (
      select t.locale from translation t
      where t.store_id = ${storeId} and t.value <> '' and t.locale > found.locale order by t.locale limit 1
    ) from found where found.locale is not null
  )
  select locale from found where locale is not null`;

export async function listLocales(db: Db, storeId: string): Promise<string[]> {
  const { rows } = await db.executeQuery(locales([storeId]));
  return rows.map(({ locale }) => locale);
}
const locales = prepare<{ locale: string }>('live-locales', localesOf('$1'));

/** Where an address leads: a live page of a store, and all that says whether a kept document of it is still good. */
export interface Address {
  storeId: string;
  storeSlug: string;
  pageId: string;
  isHomepage: boolean;
  locales: string[];
  /** Another whenever the page, its head or the store's name is. */
  stamp: string;
}

const addressColumns = `s.store_id as "storeId", s.slug as "storeSlug", p.id as "pageId",
  p.is_homepage as "isHomepage", array(${localesOf('s.store_id')}) as locales,
  concat_ws('/', l.version, p.revision, s.slug, s.name) as stamp`;
const store = `(select * from store_fact where slug = $1 order by updated_at desc limit 1) s`;
const live = `live_page l on l.store_id = p.store_id and l.page_id = p.id`;

const bySlug = prepare<Address>(
  'live-by-slug',
  `select ${addressColumns} from ${store} join page p on p.store_id = s.store_id and p.slug = $2 join ${live}`,
);
const homepage = prepare<Address>(
  'live-homepage',
  `select ${addressColumns} from ${store} join page p on p.store_id = s.store_id and p.is_homepage join ${live}`,
);

const slugs = new RegExp(slugPattern);

/** The live page at an address; an empty page slug is the homepage's. */
export async function findAddress(db: Db, storeSlug: string, pageSlug: string): Promise<Address | undefined> {
  if (!slugs.test(storeSlug) || (pageSlug !== '' && !slugs.test(pageSlug))) return undefined;
  const { rows } = await db.executeQuery(
    pageSlug === '' ? homepage([storeSlug]) : bySlug([storeSlug, pageSlug]),
  );
  return rows[0];
}

/** Everything of a live page, at one moment. */
export interface LiveContent {
  storeName: string;
  storeSlug: string;
  name: string;
  slug: string;
  is_homepage: boolean;
  settings: Record<string, unknown>;
  locales: string[];
  stamp: string;
  rendered: MadePage;
  document: PageDocument;
  sources: PageSources;
}

const contentColumns = (
  own: string,
) => `s.name as "storeName", s.slug as "storeSlug", p.name, p.slug, p.is_homepage,
  p.settings, array(${localesOf('s.store_id')}) as locales,
  concat_ws('/', l.version, p.revision, s.slug, s.name) as stamp, ${own}`;
const content = (own: string) => `select ${contentColumns(own)}
  from store_fact s join page p on p.store_id = s.store_id and p.id = $2 join ${live} where s.store_id = $1`;

const rendered = prepare<Omit<LiveContent, 'document' | 'sources'>>('live-rendered', content('l.rendered'));
const sources = prepare<Omit<LiveContent, 'rendered'>>('live-sources', content('l.document, l.sources'));

/** A live page as it was made, to be served in the language that it was written in. */
export async function findRendered(db: Db, storeId: string, pageId: string) {
  const { rows } = await db.executeQuery(rendered([storeId, pageId]));
  return rows[0];
}

/** What a live page was made of, to make it in another locale. */
export async function findSources(db: Db, storeId: string, pageId: string) {
  const { rows } = await db.executeQuery(sources([storeId, pageId]));
  return rows[0];
}
