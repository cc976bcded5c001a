import type { SqlBool } from 'kysely';
import { timestamp } from './json.ts';
import { type Placeholders, rawSql, valuesBy } from './statements.ts';

/** One of the values that a list is sorted by. */
export interface SortKey {
  /** SQL of a column, exactly as the list's index has it. */
  column: string;
  type: 'text' | 'bigint' | 'numeric' | 'timestamptz';
  dir: 'asc' | 'desc';
  /** Where rows without a value are sorted; left out if every row has a value. */
  nulls?: 'first' | 'last';
}

/** The order of a list. The last key distinguishes rows that are equal in all others. */
export type Order = readonly SortKey[];

/** Returns an order by a table's `created_at` and an id unique to each row. */
export const byTime = (dir: SortKey['dir'], table?: string, id = 'id'): Order => {
  const prefix = table ? `${table}.` : '';
  return [
    { column: `${prefix}created_at`, type: 'timestamptz', dir },
    { column: `${prefix}${id}`, type: 'text', dir },
  ];
};

/** Returns an order by one of a list's sorts, and then by the id, unless no two rows have the same value. */
export const sortedBy = <Sort extends string>(
  keys: Readonly<Record<Sort, Omit<SortKey, 'dir'>>>,
  { sort, dir }: { sort: Sort; dir: SortKey['dir'] },
  unique?: Sort,
): Order => [
  { ...keys[sort], dir },
  ...(sort === unique ? [] : [{ column: 'id', type: 'text', dir } as const]),
];

/** The values of a row that its list is sorted by, as the database writes them, so timestamps have microseconds. */
export type Position = readonly (string | null)[];

/** The requested part of a list: `limit` rows, either after a position or after the first `offset` rows. */
export interface Page {
  limit: number;
  offset: number;
  after: Position | null;
  order: Order;
  /** Returns the cursor for the rows after a position; null at the end. */
  cursorAt(next: Position | null): string | null;
}

/** Returns the `order by` clause of an order. */
export const orderBy = (order: Order): string =>
  `order by ${order.map(({ column, dir, nulls }) => `${column} ${dir}${nulls ? ` nulls ${nulls}` : ''}`).join(', ')}`;

/** Returns SQL of a row's position. */
export const positionSql = (order: Order): string => {
  const values = order.map(({ column, type }) =>
    type === 'timestamptz' ? timestamp(column, 'US') : `${column}::text`,
  );
  return `array[${values.join(', ')}]`;
};

/** The values of the position after which a statement continues. */
type PositionValues = { readonly [value: `after${number}`]: string | null };

/** The values of a page that a statement names. */
export type PageValues = PositionValues & { limit: number };

/** Returns the values that `positionPlaceholders` name. */
export const positionValues = (after: Position | null): PositionValues => valuesBy('after', after ?? []);

/** Returns the placeholders of the values of a position; a null value has none. */
export const positionPlaceholders = (
  { order, after }: Page,
  $: Placeholders<PositionValues>,
): Position | null =>
  after?.map((value, i) => (value === null ? null : `${$[`after${i}`]}::${order[i]!.type}`)) ?? null;

/**
 * Returns the conditions of the rows after a position, whose placeholders are in `start`. Each condition is one range of
 * an index in this order, and the list reads the ranges one after the other. Without a position, one range covers all
 * rows.
 */
export const rangesAfter = (order: Order, start: Position | null): string[] =>
  start ? rangesBeyond(order, start) : ['true'];

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

/** Returns the limit of each of several lists that are merged into one page. */
export const mergedLimit = ({ limit, offset }: Page): string => `limit ${limit + 1 + offset}`;

/**
 * Returns SQL of the rows of several lists, merged in the order of the page. Each list is SQL that ends with the limits
 * it is given.
 */
export function mergedRows(
  page: Page,
  limits: string,
  lists: readonly ((limits: string) => string)[],
): string {
  if (lists.length === 1) return lists[0]!(limits);
  const beginnings = lists.map((list) => `(${list(mergedLimit(page))})`);
  return `select * from (${beginnings.join(' union all ')}) merged ${orderBy(page.order)} ${limits}`;
}

/** Returns the condition that a row comes after the page's position, for the query builder. */
export const isAfter = (page: Page) =>
  rawSql<SqlBool, PositionValues>(
    ($) => `(${rangesAfter(page.order, positionPlaceholders(page, $)).join(' or ')})`,
    positionValues(page.after),
  );
