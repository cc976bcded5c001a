import type { SqlBool } from 'kysely';
import { timestamp } from './json.ts';
import { type Placeholders, rawSql, valuesBy } from './statements.ts';

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

/** SQL of that order. */
export const orderBy = (order: Order): string =>
  `order by ${order.map(({ column, dir, nulls }) => `${column} ${dir}${nulls ? ` nulls ${nulls}` : ''}`).join(', ')}`;

/** SQL of a row's position. */
export const positionSql = (order: Order): string => {
  const values = order.map(({ column, type }) =>
    type === 'timestamptz' ? timestamp(column, 'US') : `${column}::text`,
  );
  return `array[${values.join(', ')}]`;
};

/** What a statement names of the position that it goes on after. */
type PositionValues = { readonly [value: `after${number}`]: string | null };

/** What it names of its page. */
export type PageValues = PositionValues & { limit: number };

export const positionValues = (after: Position | null): PositionValues => valuesBy('after', after ?? []);

/** Where the values of a position stand in a statement; of null there is none. */
export const positionPlaceholders = (
  { order, after }: Page,
  $: Placeholders<PositionValues>,
): Position | null =>
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

/** Whether a row comes after the page's position, for the query builder. */
export const isAfter = (page: Page) =>
  rawSql<SqlBool, PositionValues>(
    ($) => `(${rangesAfter(page.order, positionPlaceholders(page, $)).join(' or ')})`,
    positionValues(page.after),
  );
