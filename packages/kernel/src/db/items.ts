import type { AnyDatabase } from './database.ts';
import { withinStore } from './distributed.ts';
import { type OfStore, type Placeholders, prepare, type SqlText } from './statements.ts';

/**
 * A part of a list of large items: the JSON of some items, separated by commas, and the ids of the items still to come.
 */
export interface ListPart {
  items: string;
  rest: string[];
}

/** Maximum size of one part of a list; the item that exceeds it still belongs to the part. */
const partBytes = 4 * 1024 * 1024;

/** The items of a list: the JSON of each row of `table`, which the SQL calls `alias`. */
export interface ListItem<Values extends OfStore = OfStore> {
  /** Prefix of the names of its statements, unique among the lists of all services. */
  name: string;
  table: string;
  alias: string;
  json: SqlText<Values>;
  /** SQL of the approximate size of the JSON, for a list that is sent in parts; without it, the list is sent whole. */
  bytes?: string;
  /** Set by `withItemCache`. */
  cache?: ItemCache<Values>;
}

/** The items of a list whose JSON is cached. */
export type CachedListItem<Values extends OfStore = OfStore> = ListItem<Values> & {
  cache: ItemCache<Values>;
};

/** The JSON of a list's items that a process caches by their versions: `item-cache.ts`. */
export interface ItemCache<Values extends OfStore> {
  /** The same list with the id and the version of each row in place of its JSON. */
  versions: ListItem<Values>;
  /** Returns the items of a page by the result of `versions` for it; null if an item has changed or gone since. */
  find(db: AnyDatabase, values: Values, versions: string): Promise<string | null>;
  /** Returns the JSON of each of these ids; null where the store has no such row. */
  findEach(db: AnyDatabase, values: Values, ids: readonly string[]): Promise<(string | null)[]>;
}

/**
 * Returns the SQL that follows `with shown as (…)`, which holds the ids of a page as `id` and their order as `ordinal`.
 * It selects the items of the store and the columns of `more`. Each row is looked up once by its key, for any table
 * size that the planner assumes; large values are not read until the JSON is made.
 */
export function itemsByKey<Values extends OfStore>(
  item: ListItem<Values>,
  $: Placeholders<Values>,
  more = '',
): string {
  const { table, alias, bytes } = item;
  const json = itemJson(item, $);
  if (bytes === undefined) {
    const one = `select ${json}::text from ${table} ${alias}
      where ${alias}.store_id = ${$.storeId} and ${alias}.id = shown.id`;
    return `select ${joinItems(`select (${one}) as item from shown order by ordinal`)} ${more}`;
  }
  return `
    , sized as materialized (
      select ${alias}.*, shown.ordinal, ${bytesBefore(withinStore($.storeId, bytes), 'order by shown.ordinal')}
      from shown cross join lateral (
        select * from ${table} where store_id = ${$.storeId} and id = shown.id offset 0
      ) ${alias}
    )
    ${selectItems(item, $, 'sized')} ${more}`;
}

/** Returns SQL of the items of whole rows in `rows`, which have their `ordinal` and the bytes `before` them. */
export function selectItems<Values extends OfStore>(
  item: ListItem<Values>,
  $: Placeholders<Values>,
  rows: string,
  condition = 'true',
): string {
  const { alias, bytes } = item;
  const each = (more: string) =>
    `select (${itemJson(item, $)})::text as item from ${rows} ${alias} where ${condition} ${more} order by ordinal`;
  if (bytes === undefined) return `select ${joinItems(each(''))}`;
  return `select ${joinItems(each(`and before < ${partBytes}`))},
    array(select id from ${rows} where ${condition} and before >= ${partBytes} order by ordinal) as rest`;
}

/** Returns SQL of an item's JSON. */
export const itemJson = <Values extends OfStore>(
  { json }: ListItem<Values>,
  $: Placeholders<Values>,
): string => withinStore($.storeId, json($));

const joinItems = (each: string) =>
  `coalesce((select string_agg(item, ',') from (${each}) items), '') as items`;

/** Returns SQL of the total size of the items before a row. */
export const bytesBefore = (bytes: string, order = '') =>
  `coalesce(sum(${bytes}) over (${order} rows between unbounded preceding and 1 preceding), 0) as before`;

/** Defines the statement that reads the items of a page that are still to come, in the order of their ids. */
export function defineParts<Values extends OfStore>(
  item: ListItem<Values>,
): (db: AnyDatabase, values: Values & { ids: string[] }) => Promise<ListPart> {
  const statement = prepare<ListPart, Values & { ids: string[] }>(
    `${item.name}-list-part`,
    ($) => `with shown as (select * from unnest(${$.ids}::text[]) with ordinality as shown (id, ordinal))
      ${itemsByKey(item, $)}`,
  );
  return async (db, values) => (await db.executeQuery(statement(values))).rows[0]!;
}
