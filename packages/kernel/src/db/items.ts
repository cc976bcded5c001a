import type { AnyDatabase } from './database.ts';
import { withinStore } from './spread.ts';
import { type OfStore, type Placeholders, prepare, type SqlText } from './statements.ts';

/** A part of a list of large items: the JSON of some, with commas between, and the ids of those still to come. */
export interface ListPart {
  items: string;
  rest: string[];
}

/** How much one part of a list holds, and the item more with which it reaches that. */
const partBytes = 4 * 1024 * 1024;

/** What a list shows: of each row of `table`, called `alias`, its JSON. */
export interface ListItem<Values extends OfStore = OfStore> {
  /** Begins the names of its statements: unique among the lists of all services. */
  name: string;
  table: string;
  alias: string;
  json: SqlText<Values>;
  /** SQL of about how large the JSON is, for a list that comes in parts; without it none is. */
  bytes?: string;
  /** `withItemCache` has put it there. */
  cache?: ItemCache<Values>;
}

/** The JSON of a list's items as a process keeps it, by their versions: `item-cache.ts`. */
export interface ItemCache<Values extends OfStore> {
  /** The same list, which shows of each row its id and its version. */
  versions: ListItem<Values>;
  /** The items of a page by what `versions` shows of it; null when one has changed or gone since that was read. */
  find(db: AnyDatabase, values: Values, versions: string): Promise<string | null>;
}

/**
 * SQL that goes on after `with shown as (…)`, a page's ids as `id` and their order as `ordinal`: the items of the store,
 * and what else is asked for. Each row is looked up once, by its key, whatever the planner thinks of the table's size;
 * what is large in it stays where it is until its JSON is made.
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
    return `select ${joined(`select (${one}) as item from shown order by ordinal`)} ${more}`;
  }
  return `
    , sized as materialized (
      select ${alias}.*, shown.ordinal, ${bytesBefore(withinStore($.storeId, bytes), 'order by shown.ordinal')}
      from shown cross join lateral (
        select * from ${table} where store_id = ${$.storeId} and id = shown.id offset 0
      ) ${alias}
    )
    ${itemsOfRows(item, $, 'sized')} ${more}`;
}

/** SQL of the items of whole rows in `rows`, with their `ordinal` and what is `before` them. */
export function itemsOfRows<Values extends OfStore>(
  item: ListItem<Values>,
  $: Placeholders<Values>,
  rows: string,
  which = 'true',
): string {
  const { alias, bytes } = item;
  const each = (more: string) =>
    `select (${itemJson(item, $)})::text as item from ${rows} ${alias} where ${which} ${more} order by ordinal`;
  if (bytes === undefined) return `select ${joined(each(''))}`;
  return `select ${joined(each(`and before < ${partBytes}`))},
    array(select id from ${rows} where ${which} and before >= ${partBytes} order by ordinal) as rest`;
}

/** SQL of an item's JSON. */
export const itemJson = <Values extends OfStore>(
  { json }: ListItem<Values>,
  $: Placeholders<Values>,
): string => withinStore($.storeId, json($));

const joined = (each: string) => `coalesce((select string_agg(item, ',') from (${each}) items), '') as items`;

/** How much the items are that come before a row. */
export const bytesBefore = (bytes: string, order = '') =>
  `coalesce(sum(${bytes}) over (${order} rows between unbounded preceding and 1 preceding), 0) as before`;

/** Reads of a page the items that are still to come, in the order of their ids. */
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
