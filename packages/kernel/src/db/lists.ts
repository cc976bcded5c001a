import { CompiledQuery } from 'kysely';
import { type AnyDatabase, prepare } from './database.ts';

/** A timestamp column in the API's form, for JSON that PostgreSQL makes: `decisions.md 1.2`. */
export const timestamp = (column: string): string =>
  `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** The words of a search, lower-case, `decisions.md 1.14`. */
export const wordsOf = (q: string | undefined): string[] =>
  q?.toLowerCase().split(/\s+/u).filter(Boolean) ?? [];

/** The `like` pattern of a text that holds this word; `%`, `_` and `\` in it are ordinary characters. */
export const patternOf = (word: string): string => `%${word.replaceAll(/[\\%_]/g, '\\$&')}%`;

/** As many words as a trigram index is asked for; all are checked on the rows that it finds. */
const maxIndexedWords = 5;

/**
 * The words that a trigram index is asked for, those first that are likely in the fewest rows: numbers and addresses,
 * then long words. Where the first is not, the index does not look for the others.
 */
export function indexedWords(words: readonly string[]): string[] {
  const weight = (word: string) => word.length + (/[\d@]/.test(word) ? 1000 : 0);
  return words.toSorted((a, b) => weight(b) - weight(a)).slice(0, maxIndexedWords);
}

/**
 * Gives the condition under which an index on `(store_id || ''), search` finds the rows of store `$1`; `own` says how
 * many rows it has in `table`.
 *
 * Among many stores the store's own entry in the index leads to its few rows. That of a store which holds a good part
 * of the table is nearly the table, and walking along it costs more than all else: its rows are found by the words
 * alone, of which the other stores' rows then only make a few times as many.
 */
export function storeInIndex(
  table: string,
  own: string,
): (db: AnyDatabase, storeId: string) => Promise<string> {
  const share = prepare<{ isLarge: boolean }>(
    `${table}-share`,
    `select coalesce((${own}), 0) > reltuples / 4 as "isLarge" from pg_class where oid = '"${table}"'::regclass`,
  );
  const known = new Map<string, { condition: string; until: number }>();
  return async (db, storeId) => {
    const last = known.get(storeId);
    if (last && last.until > performance.now()) return last.condition;
    const { rows } = await db.executeQuery(share([storeId]));
    const condition = rows[0]!.isLarge ? '' : `and store_id || '' = $1`;
    // Either finds the same rows: a store that grows is only searched in the slower way for a while.
    if (known.size === 10_000) known.clear();
    known.set(storeId, { condition, until: performance.now() + 60_000 });
    return condition;
  };
}

/** A part of a list of large items: the JSON of some, with commas between, and the ids of those still to come. */
export interface ListPart {
  items: string;
  rest: string[];
}

/** How much one part of a list holds, and the item more with which it reaches that. */
const partBytes = 4 * 1024 * 1024;

/** What a list shows: of each row of `table`, called `alias`, its JSON `item`, which is about as large as `bytes`. */
export interface ListItem {
  table: string;
  alias: string;
  item: string;
  bytes: string;
}

/**
 * SQL that goes on after `with page as (…)`, a page's ids as `id` and their order as `place`: a `ListPart` of store
 * `$1`, and what else is asked for. Each row is looked up once, by its key, whatever the planner thinks of the
 * table's size; what is large in it stays where it is until its JSON is made.
 */
export const listPart = ({ table, alias, item, bytes }: ListItem, more = ''): string => `
  , sized as materialized (
    select ${alias}.*, page.place, sum(${bytes}) over (order by page.place) - ${bytes} as before
    from page cross join lateral (
      select * from ${table} where store_id = $1 and id = page.id offset 0
    ) ${alias}
  )
  select coalesce((
    select string_agg(item, ',') from (
      select (${item})::text as item from sized ${alias} where before < ${partBytes} order by place
    ) items
  ), '') as items,
  array(select id from sized where before >= ${partBytes} order by place) as rest ${more}`;

/** The same for ids that are known: those in the statement's parameter of this name. */
export const listPartOf = (ids: string, list: ListItem): string =>
  `with page as (select * from unnest(${ids}::text[]) with ordinality as page (id, place))
  ${listPart(list)}`;

type Statement<Row> = (values: readonly unknown[]) => CompiledQuery<Row>;
const prepared = new Map<string, Statement<unknown>>();

/**
 * A statement for a page of a list; names are unique among the lists of all services. Limit and offset stand in its
 * text: a planner that does not know them takes a tenth of the store for the page. First pages of the usual size are
 * written, and by each connection prepared, once; others are planned as they come.
 */
export function pageStatement<Row = { json: string }>(
  name: string,
  { limit, offset }: { limit: number; offset: number },
  text: (limits: string) => string,
): Statement<Row> {
  const limits = `limit ${limit} offset ${offset}`;
  if (limit !== 50 || offset !== 0) {
    return (values) => CompiledQuery.raw(text(limits), [...values]) as CompiledQuery<Row>;
  }
  const statement = (prepared.get(name) as Statement<Row> | undefined) ?? prepare<Row>(name, text(limits));
  prepared.set(name, statement);
  return statement;
}
