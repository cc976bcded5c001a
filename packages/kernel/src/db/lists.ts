import { CompiledQuery, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
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
 * SQL that goes on after `with shown as (…)`, a page's ids as `id` and their order as `place`: a `ListPart` of store
 * `$1`, and what else is asked for. Each row is looked up once, by its key, whatever the planner thinks of the
 * table's size; what is large in it stays where it is until its JSON is made.
 */
export const listPart = ({ table, alias, item, bytes }: ListItem, more = ''): string => `
  , sized as materialized (
    select ${alias}.*, shown.place, sum(${bytes}) over (order by shown.place) - ${bytes} as before
    from shown cross join lateral (
      select * from ${table} where store_id = $1 and id = shown.id offset 0
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
  `with shown as (select * from unnest(${ids}::text[]) with ordinality as shown (id, place))
  ${listPart(list)}`;

/** One of the values that a list is sorted by. */
export interface SortKey {
  /** A column in SQL, as the list's index has it. */
  column: string;
  type: 'text' | 'bigint' | 'numeric' | 'timestamptz';
  dir: 'asc' | 'desc';
  /** Where the rows without a value stand; left out where every row has one. */
  nulls?: 'first' | 'last';
}

/** What a list is sorted by. The last key tells those apart that are equal in all others. */
export type Order = readonly SortKey[];

/** By a table's `created_at` and an id of each row's own. */
export const byTime = (dir: SortKey['dir'], table?: string, id = 'id'): Order => {
  const prefix = table ? `${table}.` : '';
  return [
    { column: `${prefix}created_at`, type: 'timestamptz', dir },
    { column: `${prefix}${id}`, type: 'text', dir },
  ];
};

/** The values of a row that its list is sorted by, in the words of the database: to the microsecond, for one. */
export type Position = readonly (string | null)[];

/** The part of a list that is asked for: `limit` rows, those after a position or all but the first `offset`. */
export interface Page {
  limit: number;
  offset: number;
  after: Position | null;
  order: Order;
  /** The cursor of what comes after a position; null at the end. */
  cursorAt(next: Position | null): string | null;
}

export const orderBy = (order: Order): string =>
  `order by ${order.map(({ column, dir, nulls }) => `${column} ${dir}${nulls ? ` nulls ${nulls}` : ''}`).join(', ')}`;

const positionSql = (order: Order): string => {
  const values = order.map(({ column, type }) =>
    type === 'timestamptz'
      ? `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
      : `${column}::text`,
  );
  return `array[${values.join(', ')}]`;
};

/** The values that stand for a position in a statement: `rangesAfter` has no parameter for null. */
export const positionValues = (after: Position | null): string[] =>
  after?.filter((value) => value !== null) ?? [];

/**
 * The conditions of the rows that come after a position, whose values are the parameters from `$first` on. Each is one
 * range of an index in this order, and the list goes through them one after the other; without a position all is one.
 */
export function rangesAfter(order: Order, after: Position | null, first: number): string[] {
  let parameter = first;
  return after
    ? rangesBeyond(
        order,
        after.map((value, i) => (value === null ? null : `$${parameter++}::${order[i]!.type}`)),
      )
    : ['true'];
}

function rangesBeyond([key, ...others]: Order, [value = null, ...values]: (string | null)[]): string[] {
  const { column, dir, nulls } = key!;
  const withoutValue = nulls === 'last' ? [`${column} is null`] : [];
  if (value === null) {
    const same = rangesWithin(others, values, `${column} is null`);
    return nulls === 'first' ? [...same, `${column} is not null`] : same;
  }
  const sign = dir === 'asc' ? '>' : '<';
  const isOneRange = others.every((other, i) => other.dir === dir && !other.nulls && values[i] !== null);
  if (isOneRange) {
    const columns = [column, ...others.map((other) => other.column)].join(', ');
    return [`(${columns}) ${sign} (${[value, ...values].join(', ')})`, ...withoutValue];
  }
  return [
    ...rangesWithin(others, values, `${column} = ${value}`),
    `${column} ${sign} ${value}`,
    ...withoutValue,
  ];
}

const rangesWithin = (order: Order, values: (string | null)[], same: string) =>
  order.length > 0 ? rangesBeyond(order, values).map((range) => `${same} and ${range}`) : [];

/**
 * The beginning of a `with` for a page of a list: `shown`, its ids as `id` and their order as `place`. `rows` gives the
 * ids and the columns of the order, in that order and within `limits`: one more than is shown, as that tells whether
 * anything follows.
 */
export const pageOfRows = (rows: string, { limit }: Page): string => `ordered as (
    select *, row_number() over () as place from (${rows}) list
  ), shown as (
    select id, place from ordered where place <= ${limit}
  )`;

/** What follows such a `with`: as `next`, the position of the page's last row, null where it ends the list. */
export const nextPosition = ({ order, limit }: Page): string => `(
  select ${positionSql(order)} from ordered
  where place = ${limit} and exists (select from ordered where place > ${limit})
) as next`;

/** The limit of each of several lists that are merged to one page. */
export const mergedLimit = ({ limit, offset }: Page): string => `limit ${limit + 1 + offset}`;

/** The rows of several lists in this order, merged; each is SQL that ends with the limits it is given. */
export function mergedRows(
  page: Page,
  limits: string,
  lists: readonly ((limits: string) => string)[],
): string {
  if (lists.length === 1) return lists[0]!(limits);
  const beginnings = lists.map((list) => `(${list(mergedLimit(page))})`);
  return `select * from (${beginnings.join(' union all ')}) merged ${orderBy(page.order)} ${limits}`;
}

/** Rows of the table `matches`, which has all that is found in no order; a position's values begin at `$first`. */
export const matchesFrom = ({ order, after }: Page, first: number, limits: string): string =>
  `select * from matches where ${rangesAfter(order, after, first).join(' or ')} ${orderBy(order)} ${limits}`;

type Statement<Row> = (values: readonly unknown[]) => CompiledQuery<Row>;
const prepared = new Map<string, Statement<unknown>>();

/**
 * A statement for a page of a list; names are unique among the lists of all services. Limit and offset stand in its
 * text: a planner that does not know them takes a tenth of the store for the page. Pages of the usual size that are the
 * first or come after a position are written, and by each connection prepared, once; others are planned as they come.
 */
export function pageStatement<Row = { json: string }>(
  name: string,
  { limit, offset, after }: Page,
  text: (limits: string) => string,
): Statement<Row> {
  const limits = `limit ${limit + 1} offset ${offset}`;
  if (limit !== 50 || offset !== 0) {
    return (values) => CompiledQuery.raw(text(limits), [...values]) as CompiledQuery<Row>;
  }
  // Where the position has no value the text is another.
  const place = after ? `-after-${after.map((value) => (value === null ? 0 : 1)).join('')}` : '';
  const known = name + place;
  const statement = (prepared.get(known) as Statement<Row> | undefined) ?? prepare<Row>(known, text(limits));
  prepared.set(known, statement);
  return statement;
}

/** Whether a row comes after a position, for the query builder. */
function isAfter(order: Order, after: Position) {
  const values = positionValues(after);
  const pieces = rangesAfter(order, after, 0)
    .join(' or ')
    .split(/\$(\d+)/);
  const parts = pieces.map((piece, i) => (i % 2 === 0 ? sql.raw(piece) : sql.val(values[Number(piece)])));
  return sql<SqlBool>`(${sql.join(parts, sql.raw(''))})`;
}

/**
 * Reads a page with the query builder, which says all but the order and the paging. Where the order has nulls or two
 * directions, the place is looked for along the index, which is for lists of some thousand rows.
 */
export async function readPage<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  { limit, offset, after, order, cursorAt }: Page,
): Promise<{ rows: Row[]; nextCursor: string | null }> {
  const found = await query
    .select(sql<string[]>`${sql.raw(positionSql(order))}`.as('row_position'))
    .$if(after !== null, (all) => all.where(isAfter(order, after!)))
    .orderBy(sql.raw(orderBy(order).slice('order by '.length)))
    .limit(limit + 1)
    .offset(offset)
    .execute();
  const rows = found as (Row & { row_position?: string[] })[];
  const nextCursor = rows.length > limit ? cursorAt(rows[limit - 1]!.row_position!) : null;
  for (const row of rows) delete row.row_position;
  return { rows: rows.slice(0, limit), nextCursor };
}

/** The same, and how many rows `matching` has, of which `query` reads a page. */
export async function readList<DB, TB extends keyof DB, Row, All extends keyof DB>(
  query: SelectQueryBuilder<DB, TB, Row>,
  matching: SelectQueryBuilder<DB, All, object>,
  page: Page,
): Promise<{ rows: Row[]; total: number; nextCursor: string | null }> {
  const [list, count] = await Promise.all([
    readPage(query, page),
    matching.select(sql<number>`count(*)`.as('total')).executeTakeFirstOrThrow(),
  ]);
  return { ...list, total: (count as { total: number }).total };
}
