import { type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import type { AnyDatabase } from './database.ts';
import { type Places, planned, prepare, prepareOnce, rawSql, type SqlText } from './statements.ts';
import { hasTrigram, rarestPatterns, type Shares } from './trigrams.ts';

/**
 * A timestamp column in the API's form, for JSON that PostgreSQL makes: `decisions.md 1.2`. With `US` to the microsecond,
 * as the database has it.
 */
export const timestamp = (column: string, fraction: 'MS' | 'US' = 'MS'): string =>
  `to_char(${column} at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.${fraction}"Z"')`;

/** The words of a search, lower-case, `decisions.md 1.14`. */
export const wordsOf = (q: string | undefined): string[] =>
  q?.toLowerCase().split(/\s+/u).filter(Boolean) ?? [];

/** The `like` pattern of a text that holds this word; `%`, `_` and `\` in it are ordinary characters. */
export const patternOf = (word: string): string => `%${word.replaceAll(/[\\%_]/g, '\\$&')}%`;

/** As many words as a trigram index is asked for; all are checked on the rows that it finds. */
const maxIndexedWords = 5;

/**
 * The words that a trigram index is asked for, those first that are likely in the fewest rows: numbers and addresses,
 * then long words. Where the first is not, the index does not look for the others. It can look for none without three
 * letters in a row.
 */
export function indexedWords(words: readonly string[]): string[] {
  const weight = (word: string) => word.length + (/[\d@]/.test(word) ? 1000 : 0);
  const byWeight = words.filter(hasTrigram).toSorted((a, b) => weight(b) - weight(a));
  return byWeight.slice(0, maxIndexedWords);
}

/** How the trigram index on a table's text is asked. */
export interface SearchIndex {
  /** As `storeInIndex` gives it; without it the index leads from the store to its rows. */
  leadsFromStore?: (db: AnyDatabase, storeId: string) => Promise<boolean>;
  /** As `trigramShares` gives it; without it the index is asked for whole words. */
  sharesOf?: (db: AnyDatabase) => Promise<Shares | null>;
}

/** What a search's statement names: every word's pattern, and those that the index is asked for. */
interface SearchValues extends OfStore {
  patterns: string[];
  [indexed: `indexed${number}`]: string;
}

/**
 * How the rows of a store are found that hold all of some words: what the statement is called that does so and what its
 * values are, whether an index helps, and the conditions for rows `alias`, whose text is `text`.
 */
export async function lookUp(
  db: AnyDatabase,
  storeId: string,
  sought: readonly string[],
  { leadsFromStore, sharesOf }: SearchIndex,
) {
  // One that is there a thousand times would be looked for in each row as often.
  const words = [...new Set(sought)];
  const askable = indexedWords(words);
  const shares = askable.length > 0 ? await sharesOf?.(db) : null;
  const indexed = shares ? rarestPatterns(askable, shares) : askable.map(patternOf);
  const fromStore = indexed.length > 0 && ((await leadsFromStore?.(db, storeId)) ?? false);
  const values: SearchValues = { storeId, patterns: words.map(patternOf), ...valuesBy('indexed', indexed) };
  return {
    kind: `${indexed.length}-${fromStore ? 'one' : 'much'}`,
    values,
    isIndexed: indexed.length > 0,
    conditions($: Places<SearchValues>, alias: string, text = `${alias}.search`): string {
      const likes = indexed.map((_, i) => `and ${text} like ${$[`indexed${i}`]}`).join(' ');
      const ofStore = fromStore ? `and ${alias}.store_id || '' = ${$.storeId}` : '';
      return `${ofStore} ${likes} and ${text} like all (${$.patterns}::text[])`;
    },
  };
}

/** Values of one kind, each by the kind's name and its number. */
const valuesBy = <Kind extends string, Value>(kind: Kind, values: readonly Value[]) =>
  Object.fromEntries(values.map((value, i) => [`${kind}${i}`, value])) as Record<`${Kind}${number}`, Value>;

/**
 * Says whether an index on `(store_id || ''), search` finds the rows of a store by its own entry, under the condition
 * `store_id || '' = …`; `own` says how many rows it has in `table`.
 *
 * Among many stores the store's own entry in the index leads to its few rows. That of a store which holds a good part
 * of the table is nearly the table, and walking along it costs more than all else: its rows are found by the words
 * alone, of which the other stores' rows then only make a few times as many.
 */
export function storeInIndex(
  table: string,
  own: SqlText<OfStore>,
): (db: AnyDatabase, storeId: string) => Promise<boolean> {
  const share = prepare<{ isLarge: boolean }, OfStore>(
    `${table}-share`,
    ($) => `select coalesce((${own($)}), 0) > reltuples / 4 as "isLarge"
      from pg_class where oid = '"${table}"'::regclass`,
  );
  const known = new Map<string, { leads: boolean; until: number }>();
  return async (db, storeId) => {
    const last = known.get(storeId);
    if (last && last.until > performance.now()) return last.leads;
    const { rows } = await db.executeQuery(share({ storeId }));
    const leads = !rows[0]!.isLarge;
    // Either finds the same rows: a store that grows is only searched in the slower way for a while.
    if (known.size === 10_000) known.clear();
    known.set(storeId, { leads, until: performance.now() + 60_000 });
    return leads;
  };
}

/** What every statement of a list names. */
export interface OfStore {
  storeId: string;
}

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
}

/**
 * SQL that goes on after `with shown as (…)`, a page's ids as `id` and their order as `place`: the items of the store,
 * and what else is asked for. Each row is looked up once, by its key, whatever the planner thinks of the table's size;
 * what is large in it stays where it is until its JSON is made.
 */
function items<Values extends OfStore>(item: ListItem<Values>, $: Places<Values>, more = ''): string {
  const { table, alias, json, bytes } = item;
  if (bytes === undefined) {
    const one = `select ${json($)}::text from ${table} ${alias}
      where ${alias}.store_id = ${$.storeId} and ${alias}.id = shown.id`;
    return `select ${joined(`select (${one}) as item from shown order by place`)} ${more}`;
  }
  return `
    , sized as materialized (
      select ${alias}.*, shown.place, ${bytesBefore(bytes, 'order by shown.place')}
      from shown cross join lateral (
        select * from ${table} where store_id = ${$.storeId} and id = shown.id offset 0
      ) ${alias}
    )
    ${itemsOf(item, $, 'sized')} ${more}`;
}

/** SQL of the items of whole rows in `rows`, with their `place` and what is `before` them. */
function itemsOf<Values extends OfStore>(
  { alias, json, bytes }: ListItem<Values>,
  $: Places<Values>,
  rows: string,
  which = 'true',
): string {
  const each = (more: string) =>
    `select (${json($)})::text as item from ${rows} ${alias} where ${which} ${more} order by place`;
  if (bytes === undefined) return `select ${joined(each(''))}`;
  return `select ${joined(each(`and before < ${partBytes}`))},
    array(select id from ${rows} where ${which} and before >= ${partBytes} order by place) as rest`;
}

const joined = (each: string) => `coalesce((select string_agg(item, ',') from (${each}) items), '') as items`;

/** How much the items are that come before a row. */
const bytesBefore = (bytes: string, order = '') =>
  `sum(${bytes}) over (${order} rows unbounded preceding) - ${bytes} as before`;

/** Reads of a page the items that are still to come, in the order of their ids. */
export function defineParts<Values extends OfStore>(
  item: ListItem<Values>,
): (db: AnyDatabase, values: Values & { ids: string[] }) => Promise<ListPart> {
  const statement = prepare<ListPart, Values & { ids: string[] }>(
    `${item.name}-list-part`,
    ($) => `with shown as (select * from unnest(${$.ids}::text[]) with ordinality as shown (id, place))
      ${items(item, $)}`,
  );
  return async (db, values) => (await db.executeQuery(statement(values))).rows[0]!;
}

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

/** By one of a list's sorts, and then by the id, unless no two rows have the same value. */
export const sortedBy = <Sort extends string>(
  keys: Readonly<Record<Sort, Omit<SortKey, 'dir'>>>,
  { sort, dir }: { sort: Sort; dir: SortKey['dir'] },
  unique?: Sort,
): Order => [
  { ...keys[sort], dir },
  ...(sort === unique ? [] : [{ column: 'id', type: 'text', dir } as const]),
];

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
    type === 'timestamptz' ? timestamp(column, 'US') : `${column}::text`,
  );
  return `array[${values.join(', ')}]`;
};

/** What a statement names of the position that it goes on after. */
type PositionValues = { readonly [value: `after${number}`]: string | null };

/** What it names of its page. */
type PageValues = PositionValues & { limit: number };

const positionValues = (after: Position | null): PositionValues => valuesBy('after', after ?? []);

/** Where the values of a position stand in a statement; of null there is none. */
const placesOf = ({ order, after }: Page, $: Places<PositionValues>): Position | null =>
  after?.map((value, i) => (value === null ? null : `${$[`after${i}`]}::${order[i]!.type}`)) ?? null;

/**
 * The conditions of the rows that come after a position, whose values stand at these places. Each is one range of an
 * index in this order, and the list goes through them one after the other; without a position all is one.
 */
export const rangesAfter = (order: Order, places: Position | null): string[] =>
  places ? rangesBeyond(order, places) : ['true'];

function rangesBeyond([key, ...others]: Order, [value = null, ...values]: Position): string[] {
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

const rangesWithin = (order: Order, values: Position, same: string) =>
  order.length > 0 ? rangesBeyond(order, values).map((range) => `${same} and ${range}`) : [];

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

/** The page that a statement reads: what is asked for, or more. */
export interface PageRead {
  page: Page;
  after: Position | null;
  limits: string;
}

/** A statement for a page of a list, of which the kernel writes all but these. */
export interface ListStatement<Values extends OfStore> {
  /** What tells its text from those of the list's other statements. */
  kind: string;
  values: Values;
  /** SQL of how many rows there are on all pages. */
  total: SqlText<Values>;
  /** The id and the columns of the order, where those are not the columns' names. */
  columns?: string;
  /** The conditions whose rows, each in an order of their own, make up the list; without them it is all of the store. */
  each?: readonly string[];
  /**
   * The columns of the rows of `page`, in its order and within `limits`: one more than its `limit`, as that tells whether
   * anything follows. They come after the position whose values stand at `after`. Without it they are read from an index
   * that begins with the store and the condition.
   */
  rows?: ($: Places<Values>, at: PageRead) => string;
  /** SQL that goes before, as `name as (…), `. */
  before?: SqlText<Values>;
}

/** A page of a list, its items as JSON with commas between. */
export interface ListRead extends ListPart {
  total: number;
  nextCursor: string | null;
}

/** Reads a page of a list with a statement of its own, which is one round trip. */
export async function readItems<Values extends OfStore>(
  db: AnyDatabase,
  item: ListItem<Values>,
  page: Page,
  list: ListStatement<Values>,
): Promise<ListRead> {
  const { kind, values, total, before } = list;
  const { order } = page;
  // The index leads to the rows, and they are read there and then; those that an offset passes over it need not even show.
  const isWhole = !list.rows && !list.columns && page.offset === 0;
  const rows = list.rows ?? rowsOfStore(item.table, isWhole ? { ...list, columns: '*' } : list);
  const statement = pageStatement<Values>(`${item.name}-list-${kind}`, page, ($, at) => {
    const next = `(
      select ${positionSql(order)} from ordered
      where place = ${$.limit} and exists (select from ordered where place > ${$.limit})
    )`;
    const found = rows($, { ...at, after: placesOf(page, $) });
    const more = `, ${total($)} as total, ${next} as next`;
    if (isWhole)
      return `with ${before?.($) ?? ''} ordered as (
        select ${item.alias}.*, row_number() over () as place ${item.bytes === undefined ? '' : `, ${bytesBefore(item.bytes)}`}
        from (${found}) ${item.alias}
      ) ${itemsOf(item, $, 'ordered', `place <= ${$.limit}`)} ${more}`;
    return `with ${before?.($) ?? ''} ordered as (
        select *, row_number() over () as place from (${found}) list
      ), shown as (
        select id, place from ordered where place <= ${$.limit}
      ) ${items(item, $, more)}`;
  });
  const of: PageValues = { ...positionValues(page.after), limit: page.limit };
  const found = await db.executeQuery(statement({ ...values, ...of }));
  const { next, rest = [], ...read } = found.rows[0]!;
  return { ...read, rest, nextCursor: page.cursorAt(next) };
}

type ReadRow = Omit<ListPart, 'rest'> & { rest?: string[]; total: number; next: Position | null };

/**
 * How many rows are read for pages of up to so many. One statement serves them all: reading fifty rows costs less than
 * planning a statement for three.
 */
const sizes = [50, 200] as const;

/**
 * A statement that reads a page and shows its first `limit`. Size and offset stand in its text: a planner that does not
 * know them takes a tenth of the store for the page. Pages that are the first or come after a position are written, and
 * by each connection prepared, once for each size; others are planned as they come.
 */
function pageStatement<Values extends object>(
  name: string,
  page: Page,
  text: ($: Places<Values & PageValues>, at: Pick<PageRead, 'page' | 'limits'>) => string,
) {
  type All = Values & PageValues;
  const { offset, after } = page;
  const size = (offset === 0 && sizes.find((each) => page.limit <= each)) || page.limit;
  const sized: SqlText<All> = ($) =>
    text($, { page: { ...page, limit: size }, limits: `limit ${size + 1} offset ${offset}` });
  if (offset !== 0) return planned<ReadRow, All>(sized);
  // Where the position has no value the text is another.
  const place = after ? `-after-${after.map((value) => (value === null ? 0 : 1)).join('')}` : '';
  return prepareOnce<ReadRow, All>(`${name}-${size}${place}`, sized);
}

const columnsOf = (order: Order) => [...new Set(['id', ...order.map(({ column }) => column)])].join(', ');

const rowsOfStore =
  <Values extends OfStore>(
    table: string,
    { columns, each = ['true'] }: ListStatement<Values>,
  ): NonNullable<ListStatement<Values>['rows']> =>
  ($, { page, after, limits }) => {
    const lists = rangesAfter(page.order, after).flatMap((range) =>
      each.map(
        (condition) => (limits: string) =>
          `select ${columns ?? columnsOf(page.order)} from ${table} where store_id = ${$.storeId} and ${condition} and ${range}
           ${orderBy(page.order)} ${limits}`,
      ),
    );
    return mergedRows(page, limits, lists);
  };

/** A search in the rows of a table, `search` being their text. */
export interface Matches<Values extends OfStore> {
  kind: string;
  values: Values;
  words: readonly string[];
  index?: SearchIndex;
  /** SQL of what is read of which rows, if that is not all of the table under its alias. */
  columns?: string;
  joined?: SqlText<Values>;
  /** SQL that goes on after the words' conditions. */
  filter?: SqlText<Values>;
}

/** Reads a page of what matches: that is gathered, counted and put in order. */
export async function readMatches<Values extends OfStore>(
  db: AnyDatabase,
  item: ListItem<Values>,
  page: Page,
  { kind, values, words, index = {}, columns = columnsOf(page.order), joined, filter }: Matches<Values>,
): Promise<ListRead> {
  const { table, alias } = item;
  const found = await lookUp(db, values.storeId, words, index);
  return readItems<Values & SearchValues>(db, item, page, {
    kind: `search-${kind}-${found.kind}`,
    values: { ...values, ...found.values },
    before: ($) => `matches as materialized (
      select ${columns} from ${table} ${alias} ${joined?.($) ?? ''}
      where ${alias}.store_id = ${$.storeId} ${found.conditions($, alias)} ${filter?.($) ?? ''}
    ),`,
    rows: (_, { after, limits }) => `select * from matches
      where ${rangesAfter(page.order, after).join(' or ')} ${orderBy(page.order)} ${limits}`,
    total: () => '(select count(*) from matches)',
  });
}

/** Whether a row comes after the page's position, for the query builder. */
const isAfter = (page: Page) =>
  rawSql<SqlBool, PositionValues>(
    ($) => `(${rangesAfter(page.order, placesOf(page, $)).join(' or ')})`,
    positionValues(page.after),
  );

/**
 * Reads a page with the query builder, which says all but the order and the paging. Where the order has nulls or two
 * directions, the place is looked for along the index, which is for lists of some thousand rows.
 */
export async function readPage<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  page: Page,
): Promise<{ rows: Row[]; nextCursor: string | null }> {
  const { limit, offset, after, order, cursorAt } = page;
  const found = await query
    .select(sql<string[]>`${sql.raw(positionSql(order))}`.as('row_position'))
    .$if(after !== null, (all) => all.where(isAfter(page)))
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
