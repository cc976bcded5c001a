import { type SelectQueryBuilder, sql } from 'kysely';
import type { AnyDatabase } from './database.ts';
import { withinStore } from './distributed.ts';
import { bytesBefore, itemsByKey, type ListItem, type ListPart, selectItems } from './items.ts';
import {
  isAfter,
  mergedRows,
  type Order,
  orderBy,
  type Page,
  type PageValues,
  type Position,
  positionPlaceholders,
  positionSql,
  positionValues,
  rangesAfter,
} from './order.ts';
import {
  compileUnprepared,
  type OfStore,
  type Placeholders,
  prepareOnce,
  type SqlText,
} from './statements.ts';
import { prepareSearch, type SearchIndex, type SearchValues } from './words.ts';

/** The page that a statement reads: the requested page or a larger one. */
export interface PageRead {
  page: Page;
  after: Position | null;
  limits: string;
}

/** The parts of a page's statement that a list provides; the kernel writes the rest. */
export interface ListStatement<Values extends OfStore> {
  /** Distinguishes its text from those of the list's other statements. */
  kind: string;
  values: Values;
  /** SQL of the number of rows on all pages. */
  total: SqlText<Values>;
  /** The id and the columns of the order, if those are not the names of the columns. */
  columns?: string;
  /**
   * The conditions whose rows, each in an order of their own, make up the list; without them the list is all rows of
   * the store.
   */
  each?: readonly string[];
  /**
   * Returns SQL of the rows of `page`, in its order and within `limits`: one row more than its `limit`, which shows
   * whether another page follows. The rows come after the position whose placeholders are in `after`. Without this
   * function, they are read from an index that begins with the store and the condition.
   */
  rows?: ($: Placeholders<Values>, at: PageRead) => string;
  /** SQL that precedes it, in the form `name as (…), `. */
  before?: SqlText<Values>;
}

/** A page of a list, its items as JSON separated by commas. */
export interface ListRead extends ListPart {
  total: number;
  nextCursor: string | null;
}

/**
 * Reads a page of a list with one statement, in one round trip. The first page of a list with a cache takes a second
 * round trip for the items that have changed since they were last read.
 */
export async function readItems<Values extends OfStore>(
  db: AnyDatabase,
  item: ListItem<Values>,
  page: Page,
  list: ListStatement<Values>,
): Promise<ListRead> {
  const { cache } = item;
  if (!cache || page.after || page.offset > 0) return readWholeItems(db, item, page, list);
  const read = await readWholeItems(db, cache.versions, page, list);
  const items = await cache.find(db, list.values, read.items);
  return items === null ? readWholeItems(db, item, page, list) : { ...read, items };
}

async function readWholeItems<Values extends OfStore>(
  db: AnyDatabase,
  item: ListItem<Values>,
  page: Page,
  list: ListStatement<Values>,
): Promise<ListRead> {
  const { kind, values, total, before } = list;
  const { order } = page;
  // The index leads to the rows, and they are read at once. Rows that an offset skips need not even be visible.
  const isWhole = !list.rows && !list.columns && page.offset === 0;
  const rows = list.rows ?? rowsOfStore(item.table, isWhole ? { ...list, columns: '*' } : list);
  const statement = pageStatement<Values>(`${item.name}-list-${kind}`, page, ($, at) => {
    const next = `(
      select ${positionSql(order)} from ordered
      where ordinal = ${$.limit} and exists (select from ordered where ordinal > ${$.limit})
    )`;
    const found = rows($, { ...at, after: positionPlaceholders(page, $) });
    const more = `, ${total($)} as total, ${next} as next`;
    if (isWhole)
      return `with ${before?.($) ?? ''} ordered as (
        select ${item.alias}.*, row_number() over () as ordinal ${item.bytes === undefined ? '' : `, ${bytesBefore(withinStore($.storeId, item.bytes))}`}
        from (${found}) ${item.alias}
      ) ${selectItems(item, $, 'ordered', `ordinal <= ${$.limit}`)} ${more}`;
    return `with ${before?.($) ?? ''} ordered as (
        select *, row_number() over () as ordinal from (${found}) list
      ), shown as (
        select id, ordinal from ordered where ordinal <= ${$.limit}
      ) ${itemsByKey(item, $, more)}`;
  });
  const of: PageValues = { ...positionValues(page.after), limit: page.limit };
  const found = await db.executeQuery(statement({ ...values, ...of }));
  const { next, rest = [], ...read } = found.rows[0]!;
  return { ...read, rest, nextCursor: page.cursorAt(next) };
}

type ReadRow = Omit<ListPart, 'rest'> & { rest?: string[]; total: number; next: Position | null };

/**
 * Numbers of rows that the statements for small and large pages read. A few statements serve all sizes: reading fifty
 * rows costs less than planning a statement for three.
 */
const sizes = [50, 200] as const;

/**
 * Returns a statement that reads a page and shows its first `limit` rows. Its text contains the size and the offset: a
 * planner that does not know them assumes that the page is a tenth of the store. Statements for first pages and for
 * pages after a position are written once for each size, and each connection prepares them once. Statements with an
 * offset are planned each time.
 */
function pageStatement<Values extends object>(
  name: string,
  page: Page,
  text: ($: Placeholders<Values & PageValues>, at: Pick<PageRead, 'page' | 'limits'>) => string,
) {
  type All = Values & PageValues;
  const { offset, after } = page;
  const size = (offset === 0 && sizes.find((each) => page.limit <= each)) || page.limit;
  const sized: SqlText<All> = ($) =>
    text($, { page: { ...page, limit: size }, limits: `limit ${size + 1} offset ${offset}` });
  if (offset !== 0) return compileUnprepared<ReadRow, All>(sized);
  // The text differs where a value of the position is null.
  const nulls = after ? `-after-${after.map((value) => (value === null ? 0 : 1)).join('')}` : '';
  return prepareOnce<ReadRow, All>(`${name}-${size}${nulls}`, sized);
}

const listColumns = (order: Order) => [...new Set(['id', ...order.map(({ column }) => column)])].join(', ');

const rowsOfStore =
  <Values extends OfStore>(
    table: string,
    { columns, each = ['true'] }: ListStatement<Values>,
  ): NonNullable<ListStatement<Values>['rows']> =>
  ($, { page, after, limits }) => {
    const lists = rangesAfter(page.order, after).flatMap((range) =>
      each.map(
        (condition) => (limits: string) =>
          `select ${columns ?? listColumns(page.order)} from ${table} where store_id = ${$.storeId} and ${condition} and ${range}
           ${orderBy(page.order)} ${limits}`,
      ),
    );
    return mergedRows(page, limits, lists);
  };

/** A search in the rows of a table whose column `search` holds their text. */
export interface Matches<Values extends OfStore> {
  kind: string;
  values: Values;
  words: readonly string[];
  index?: SearchIndex;
  /** SQL of the columns to read, if not all those of the order. */
  columns?: string;
  joined?: SqlText<Values>;
  /** SQL that follows the conditions of the words. */
  filter?: SqlText<Values>;
}

/** Reads a page of the matching rows: gathers them, counts them and sorts them. */
export async function readMatches<Values extends OfStore>(
  db: AnyDatabase,
  item: ListItem<Values>,
  page: Page,
  { kind, values, words, index = {}, columns = listColumns(page.order), joined, filter }: Matches<Values>,
): Promise<ListRead> {
  const { table, alias } = item;
  const found = await prepareSearch(db, values.storeId, words, index);
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

/**
 * Reads a page with a query of the query builder, to which it adds order and paging. If the order has nulls or two
 * directions, it searches along the index for the position, which suits lists of some thousand rows.
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

/** Reads a page as `readPage` does, and counts the rows of `matching`, of which `query` reads the page. */
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
