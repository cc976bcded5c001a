import { maxLocales } from '@waybill/contracts';
import { type Columns, prepare } from '@waybill/kernel';
import { type Kysely, sql, type Transaction } from 'kysely';
import type { Tables, TranslatableField, Translation as TranslationRow } from '../../tables.ts';

type Db = Kysely<Tables>;
type Trx = Transaction<Tables>;

export type EntityType = TranslationRow['entity_type'];
export type TranslatableType = TranslatableField['entity_type'];

/** The item that a translation belongs to. */
export interface EntityRef {
  entityType: EntityType;
  entityId: string;
}

export interface TranslationState extends EntityRef {
  locale: string;
  field: string;
  value: string;
  source: TranslationRow['source'];
}

const columns = ['locale', 'entity_type', 'entity_id', 'field', 'value', 'source', 'updated_at'] as const;

function ofEntities(db: Db, storeId: string, locale: string, types: readonly EntityType[], ids: string[]) {
  return db
    .selectFrom('translation')
    .where('store_id', '=', storeId)
    .where('entity_type', 'in', types)
    .where('entity_id', 'in', ids)
    .where('locale', '=', locale);
}

/** Returns a page of an entity's translations, by field. */
export async function listTranslations(
  db: Db,
  storeId: string,
  locale: string,
  types: readonly EntityType[],
  entityId: string,
  { limit, offset }: { limit: number; offset: number },
) {
  const rows = ofEntities(db, storeId, locale, types, [entityId]);
  const { total } = await rows.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  const page = await rows
    .select(columns)
    .orderBy('field')
    .orderBy('entity_type')
    .limit(limit)
    .offset(offset)
    .execute();
  return { rows: page, total };
}

/** Returns the number of bytes of these entities' values. */
export async function measureTranslations(
  db: Db,
  storeId: string,
  locale: string,
  types: readonly EntityType[],
  ids: string[],
): Promise<number> {
  const { bytes } = await ofEntities(db, storeId, locale, types, ids)
    .select(sql<number>`coalesce(sum(octet_length(value)), 0)::bigint`.as('bytes'))
    .executeTakeFirstOrThrow();
  return bytes;
}

/** Returns all translations of these entities, by entity and field. */
export function listEntityTranslations(
  db: Db,
  storeId: string,
  locale: string,
  types: readonly EntityType[],
  ids: string[],
) {
  return ofEntities(db, storeId, locale, types, ids)
    .select(columns)
    .orderBy('entity_id')
    .orderBy('field')
    .orderBy('entity_type')
    .execute();
}

/** Maximum number of bytes of translations in a page, about twice what it can show. */
const maxValueBytes = 16 * 1024 * 1024;

/** Returns the values of these entities in a locale that have a visible character, up to the maximum of a page. */
export async function listValues(db: Db, storeId: string, locale: string, refs: readonly EntityRef[]) {
  const { rows } = await sql<
    Columns<
      Tables['translation'],
      { entityType: 'entity_type'; entityId: 'entity_id'; field: 'field'; value: 'value' }
    >
  >`
    select "entityType", "entityId", field, value from (
      select t.entity_type as "entityType", t.entity_id as "entityId", t.field, t.value, ref.ordinal,
        sum(octet_length(t.value)) over (order by ref.ordinal, t.field) as so_far
      from unnest(${refs.map(({ entityType }) => entityType)}::text[], ${refs.map(({ entityId }) => entityId)}::text[])
        with ordinality as ref (entity_type, entity_id, ordinal)
      join translation t on t.store_id = ${storeId} and t.entity_type = ref.entity_type
        and t.entity_id = ref.entity_id and t.locale = ${locale} and shows(t.value)
    ) found where so_far <= ${maxValueBytes} order by ordinal, field`.execute(db);
  return rows;
}

/** The default locale of a store that has set none. */
export const assumedLocale = 'en';

/**
 * SQL for the first locales in which a store has a text, except the assumed default locale of a store that has set
 * none. Jumps along an index instead of reading every translation. `storeId` is an SQL expression.
 */
export const firstLocales = (storeId: string) => `array(
  with recursive found (locale) as (
    (select locale from translation where store_id = ${storeId} and shows(value) order by locale limit 1)
    union all
    select (
      select t.locale from translation t
      where t.store_id = ${storeId} and shows(t.value) and t.locale > found.locale order by t.locale limit 1
    ) from found where found.locale is not null
  )
  select locale from found where locale <> '${assumedLocale}' limit ${maxLocales}
)`;

const lockTranslations = prepare<Pick<Tables['translated_store'], 'locales'>>(
  'translations-lock',
  `insert into translated_store as store (store_id, locales, live_locales)
   select $1, coalesce(array_agg(distinct locale), '{}'), '{}' from translation where store_id = $1
   on conflict (store_id) do update set revision = store.revision + 1 returning locales`,
);
const settleTranslations = prepare<object>(
  'translations-settle',
  `update translated_store set locales = $2, live_locales = ${firstLocales('$1')} where store_id = $1`,
);

/**
 * Changes translations of a store under a lock. `work` gets the locales in which the store has values, some of which
 * may be outdated, and returns those that it has afterwards.
 */
export async function changingTranslations(
  trx: Trx,
  storeId: string,
  work: (known: readonly string[]) => Promise<readonly string[]>,
): Promise<void> {
  const { rows } = await trx.executeQuery(lockTranslations([storeId]));
  const locales = await work(rows[0]!.locales);
  await trx.executeQuery(settleTranslations([storeId, locales]));
}

/** Returns the locales in which the store has values, even empty ones, by reading every translation. */
export async function listStoredLocales(db: Db, storeId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('translation')
    .select('locale')
    .distinct()
    .where('store_id', '=', storeId)
    .execute();
  return rows.map(({ locale }) => locale);
}

/** Writes entries, each for a different field, leaving unchanged ones as they are. Returns the number of new ones. */
export async function upsertTranslations(
  trx: Trx,
  storeId: string,
  entries: readonly TranslationState[],
  now: Date,
): Promise<number> {
  const column = <Key extends keyof TranslationState>(key: Key) => entries.map((entry) => entry[key]);
  const { rows } = await sql<{ isNew: boolean }>`
    insert into translation as t (store_id, entity_type, entity_id, field, locale, value, source, updated_at)
    select ${storeId}, entity_type, entity_id, field, locale, value, source, ${now}
    from unnest(
      ${column('entityType')}::text[], ${column('entityId')}::text[], ${column('field')}::text[],
      ${column('locale')}::text[], ${column('value')}::text[], ${column('source')}::text[]
    ) as entry (entity_type, entity_id, field, locale, value, source)
    -- In one order, so that two requests never wait for each other.
    order by entity_type, entity_id, field, locale
    on conflict (store_id, entity_type, entity_id, field, locale) do update
      set value = excluded.value, source = excluded.source, updated_at = excluded.updated_at
      where (t.value, t.source) is distinct from (excluded.value, excluded.source)
    returning (xmax = 0) as "isNew"`.execute(trx);
  return rows.filter(({ isNew }) => isNew).length;
}

/**
 * Adds to the stored number of a store's translations, whose lock is held, after they are written. The first time,
 * existing ones are counted. Returns the total.
 */
export async function addToTranslations(trx: Trx, storeId: string, more: number): Promise<number> {
  const { rows } = await sql<{ translations: number }>`
    update translated_store set translations = case
      when translations is null then (select count(*) from translation where store_id = ${storeId})
      else translations + ${more}::bigint
    end
    where store_id = ${storeId} returning translations`.execute(trx);
  return rows[0]!.translations;
}

/** Returns the number of a store's translations. */
export async function countTranslations(db: Db, storeId: string): Promise<number> {
  const { rows } = await sql<{ translations: number }>`
    select coalesce(
      (select translations from translated_store where store_id = ${storeId}),
      (select count(*) from translation where store_id = ${storeId})
    ) as translations`.execute(db);
  return rows[0]!.translations;
}

/** Deletes the translation of a field, if there is one. */
export async function deleteTranslation(
  trx: Trx,
  storeId: string,
  { locale, entityType, entityId, field }: Omit<TranslationState, 'value' | 'source'>,
): Promise<void> {
  await changingTranslations(trx, storeId, async (known) => {
    const { numDeletedRows } = await trx
      .deleteFrom('translation')
      .where('store_id', '=', storeId)
      .where('entity_type', '=', entityType)
      .where('entity_id', '=', entityId)
      .where('field', '=', field)
      .where('locale', '=', locale)
      .executeTakeFirstOrThrow();
    await addToTranslations(trx, storeId, -Number(numDeletedRows));
    return known;
  });
}

export interface Progress {
  entityType: EntityType;
  translated: number;
  total: number;
}

/**
 * Counts the translated and translatable fields of each type in a locale; types without any may be left out. Two
 * index-only scans and a join, whatever the values contain. A node also counts as translated by its bare id.
 */
export async function countProgress(db: Db, storeId: string, locale: string): Promise<Progress[]> {
  const { rows } = await sql<Progress>`
    select t.entity_type as "entityType", count(x.entity_id) as translated, count(*) as total
    from translatable_field t
    left join translation x on x.store_id = t.store_id and x.locale = ${locale} and x.entity_type = t.entity_type
      and x.entity_id = t.entity_id and x.field = t.field and shows(x.value)
    where t.store_id = ${storeId} and t.entity_type <> 'node'
    group by t.entity_type
    union all
    select 'node', count(coalesce(exact.entity_id, bare.entity_id)), count(*)
    from translatable_field t
    left join translation exact on exact.store_id = t.store_id and exact.locale = ${locale}
      and exact.entity_type = 'node' and exact.entity_id = t.entity_id and exact.field = t.field and shows(exact.value)
    left join translation bare on bare.store_id = t.store_id and bare.locale = ${locale}
      and bare.entity_type = 'node' and bare.entity_id = substr(t.entity_id, strpos(t.entity_id, ':') + 1)
      and bare.field = t.field and shows(bare.value)
    where t.store_id = ${storeId} and t.entity_type = 'node'
      -- A page's own name, title and description are translated as its node, and are no texts of its document.
      and strpos(t.entity_id, ':') > 0`.execute(db);
  return rows;
}

const replaceKnownFields = prepare<
  unknown,
  { storeId: string; entityType: TranslatableType; ids: string[]; entityIds: string[]; fields: string[] }
>(
  'translatable-fields-replace',
  ($) => `with wanted as (
     select * from unnest(${$.entityIds}::text[], ${$.fields}::text[]) as w (entity_id, field)
   ), gone as (
     delete from translatable_field t
     where store_id = ${$.storeId} and entity_type = ${$.entityType} and entity_id = any(${$.ids}::text[])
       and not exists (select from wanted w where w.entity_id = t.entity_id and w.field = t.field)
   )
   insert into translatable_field (store_id, entity_type, entity_id, field)
   select ${$.storeId}, ${$.entityType}, entity_id, field from wanted order by entity_id, field
   on conflict do nothing`,
);

/** Replaces the known fields of these entities. */
export async function replaceFields(
  trx: Trx,
  storeId: string,
  entityType: TranslatableType,
  entities: readonly { entityId: string; fields: readonly string[] }[],
): Promise<void> {
  const wanted = entities.flatMap(({ entityId, fields }) => fields.map((field) => ({ entityId, field })));
  await trx.executeQuery(
    replaceKnownFields({
      storeId,
      entityType,
      ids: entities.map(({ entityId }) => entityId),
      entityIds: wanted.map(({ entityId }) => entityId),
      fields: wanted.map(({ field }) => field),
    }),
  );
}

/** Matches ids that begin with `prefix`, which ends in a colon, as a range that an index serves. */
const startsWith = (prefix: string) =>
  sql<boolean>`entity_id >= ${prefix} and entity_id < ${`${prefix.slice(0, -1)};`}`;

/** Replaces the fields of all nodes whose id begins with `prefix`. */
export async function replaceNodes(
  trx: Trx,
  storeId: string,
  prefix: string,
  nodes: readonly { entityId: string; field: string }[],
): Promise<void> {
  await sql`
    with wanted as (
      select * from unnest(
        ${nodes.map(({ entityId }) => entityId)}::text[], ${nodes.map(({ field }) => field)}::text[]
      ) as w (entity_id, field)
    ), gone as (
      delete from translatable_field t
      where store_id = ${storeId} and entity_type = 'node' and ${startsWith(prefix)}
        and not exists (select from wanted w where w.entity_id = t.entity_id and w.field = t.field)
    )
    insert into translatable_field (store_id, entity_type, entity_id, field)
    select ${storeId}, 'node', entity_id, field from wanted order by entity_id, field
    on conflict do nothing`.execute(trx);
}

/** Deletes the fields and the translations of entities. */
export async function deleteEntities(
  trx: Trx,
  storeId: string,
  entityType: TranslatableType,
  ids: string[],
): Promise<void> {
  await changingTranslations(trx, storeId, async (known) => {
    for (const table of ['translatable_field', 'translation'] as const) {
      await trx
        .deleteFrom(table)
        .where('store_id', '=', storeId)
        .where('entity_type', '=', entityType)
        .where('entity_id', 'in', ids)
        .execute();
    }
    return known;
  });
}

/** Deletes the fields and the translations of the nodes whose id begins with `prefix`. */
export async function deleteNodes(trx: Trx, storeId: string, prefix: string): Promise<void> {
  await changingTranslations(trx, storeId, async (known) => {
    for (const table of ['translatable_field', 'translation'] as const) {
      await trx
        .deleteFrom(table)
        .where('store_id', '=', storeId)
        .where('entity_type', '=', 'node')
        .where(startsWith(prefix))
        .execute();
    }
    return known;
  });
}

/** The facts about a product in an event: its time, and whether the product is deleted. */
export interface ProductNews {
  id: string;
  updatedAt: string;
  isDeleted: boolean;
  /** Its address and state; null for a deleted one. */
  slug: string | null;
  status: string | null;
}

/** Lists of the values of each field. */
type ListsOf<Item> = { [Name in keyof Item]: Item[Name][] };

/** A product whose facts were news, and the slug at which visitors saw it before; null if they did not. */
export type RecordedProduct = { id: string; formerSlug: string | null };

const insertNews = prepare<RecordedProduct, { storeId: string } & ListsOf<ProductNews>>(
  'known-product-record',
  ($) => `with before as materialized (
     select id, slug from known_product
     where store_id = ${$.storeId} and id = any(${$.id}::text[]) and status = 'active'
   ), recorded as (
     insert into known_product as known (store_id, id, updated_at, is_deleted, slug, status)
     select ${$.storeId}, id, updated_at, is_deleted, slug, status
     from unnest(
       ${$.id}::text[], ${$.updatedAt}::timestamptz[], ${$.isDeleted}::boolean[], ${$.slug}::text[], ${$.status}::text[]
     ) as news (id, updated_at, is_deleted, slug, status)
     order by id
     on conflict (store_id, id) do update set updated_at = excluded.updated_at, is_deleted = excluded.is_deleted,
       slug = excluded.slug, status = excluded.status
       where not known.is_deleted and (excluded.is_deleted or excluded.updated_at >= known.updated_at)
     returning id
   )
   select id, before.slug as "formerSlug" from recorded left join before using (id)`,
);

/** Stores the facts about products from events, at most one each. Returns the products for which they were news. */
export async function recordProducts(
  trx: Trx,
  storeId: string,
  news: readonly ProductNews[],
): Promise<RecordedProduct[]> {
  const { rows } = await trx.executeQuery(
    insertNews({
      storeId,
      id: news.map(({ id }) => id),
      updatedAt: news.map(({ updatedAt }) => updatedAt),
      isDeleted: news.map(({ isDeleted }) => isDeleted),
      slug: news.map(({ slug }) => slug),
      status: news.map(({ status }) => status),
    }),
  );
  return rows;
}

/** The facts about a category in an event: its time, its address, and whether it is deleted. */
export interface CategoryNews {
  id: string;
  updatedAt: string;
  isDeleted: boolean;
  slug: string | null;
}

/** Stores the facts about categories from events, at most one each. Returns the ids of those that were news. */
export async function recordCategories(
  trx: Trx,
  storeId: string,
  news: readonly CategoryNews[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<Pick<Tables['known_category'], 'id'>>`
    insert into known_category as known (store_id, id, updated_at, is_deleted, slug)
    select ${storeId}, id, updated_at, is_deleted, slug
    from unnest(
      ${news.map(({ id }) => id)}::text[], ${news.map(({ updatedAt }) => updatedAt)}::timestamptz[],
      ${news.map(({ isDeleted }) => isDeleted)}::boolean[], ${news.map(({ slug }) => slug)}::text[]
    ) as news (id, updated_at, is_deleted, slug)
    order by id
    on conflict (store_id, id) do update set updated_at = excluded.updated_at, is_deleted = excluded.is_deleted,
      slug = excluded.slug
      where not known.is_deleted and (excluded.is_deleted or excluded.updated_at >= known.updated_at)
    returning id`.execute(trx);
  return new Set(rows.map(({ id }) => id));
}

/** Returns the slugs of those of these categories that the store has, by id. */
export async function listCategorySlugs(
  db: Db,
  storeId: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ id: string; slug: string }>`
    select id, slug from known_category
    where store_id = ${storeId} and id = any(${ids}::text[]) and slug is not null and not is_deleted`.execute(
    db,
  );
  return new Map(rows.map(({ id, slug }) => [id, slug]));
}
