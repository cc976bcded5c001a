import {
  defineParts,
  defineSearch,
  type ListItem,
  type ListRead,
  type ListStatement,
  mergedRows,
  type OfStore,
  type Order,
  orderBy,
  type Position,
  parsePage,
  rangesAfter,
  readItems,
  readMatches,
  type SortKey,
  splitWords,
} from '@waybill/kernel';
import type { Kysely } from 'kysely';
import { scopeExists } from '../../publication/rendering/queries.ts';
import type { Tables } from '../../tables.ts';
import { articleJson, createValues, type Values } from './queries.ts';
import type { ListQuery } from './routes.ts';

type Db = Kysely<Tables>;

const statuses = ['draft', 'published'] as const;
type Status = (typeof statuses)[number];

/** The sort keys of lists. Ids contain the time of creation, and break all ties. */
const sortKeys: Readonly<Record<ListQuery['sort'], Omit<SortKey, 'dir'> | null>> = {
  created: null,
  updated: { column: 'updated_at', type: 'timestamptz' },
  published: { column: 'published_at', type: 'timestamptz', nulls: 'last' },
  title: { column: 'title_key', type: 'text' },
};

const createOrder = ({ sort, dir }: Pick<ListQuery, 'sort' | 'dir'>): Order => {
  const key = sortKeys[sort];
  return [...(key ? [{ ...key, dir }] : []), { column: 'article_id', type: 'text', dir }];
};

/**
 * Returns the same order within one status, as its index has it: drafts have no publication date, all others have one.
 */
function orderWithin(status: Status, order: Order): Order {
  if (!order[0]!.nulls) return order;
  return status === 'draft' ? order.slice(1) : order.map(({ nulls: _, ...key }) => key);
}

/** Returns the condition for rows of one status after a position in the overall order; null when there are none. */
function rangeWithin(status: Status, order: Order, after: Position | null): string | null {
  const isPlaceOfDraft = after !== null && after[0] === null;
  if (!order[0]!.nulls || after === null || (status === 'published' && !isPlaceOfDraft)) {
    return rangesAfter(orderWithin(status, order), after)[0]!;
  }
  if (!isPlaceOfDraft) return 'true';
  return status === 'draft' ? rangesAfter(order.slice(1), after.slice(1))[0]! : null;
}

/** A page is read in parts, because articles may be long. */
const listed: ListItem<Values> = {
  name: 'article',
  table: 'article',
  alias: 'a',
  json: articleJson,
  bytes: 'octet_length(a.content)',
};

/**
 * Returns a page of the articles of a store or a category, and their total number.
 * @throws invalid_cursor
 */
export async function listArticles(
  db: Db,
  storeId: string,
  query: ListQuery,
  baseUrl: string,
): Promise<ListRead> {
  const { sort, dir, status } = query;
  const order = status ? orderWithin(status, createOrder(query)) : createOrder(query);
  const page = parsePage('articles', [storeId], query, order);
  const of = {
    kind: `${sort}-${dir}-${status ?? 'all'}`,
    values: { ...createValues(storeId, baseUrl), scope: query.categoryId ?? '' },
  };
  const words = splitWords(query.q);
  if (words.length > 0) {
    return readMatches(db, listed, page, {
      ...of,
      words,
      columns: columnsOfOrder(order),
      joined: ($) =>
        `join article_listing l on l.store_id = ${$.storeId} and l.article_id = a.id and l.scope = ${$.scope}
           and ${scopeExists($.storeId, $.scope)}`,
      filter: () => (status ? `and a.status = '${status}'` : ''),
    });
  }
  const selectedStatuses = status ? [status] : statuses;
  return readItems(db, listed, page, {
    ...of,
    rows: selectRows(selectedStatuses),
    total: ($) => `coalesce((
      select ${selectedStatuses.join(' + ')} from article_total where store_id = ${$.storeId} and scope = ${$.scope}
    ), 0)`,
  });
}

/** Reads the remaining articles of a page, in its order. */
export const readArticles = (db: Db, storeId: string, ids: string[], baseUrl: string) =>
  readParts(db, { ...createValues(storeId, baseUrl), ids });
const readParts = defineParts(listed);

const columnsOfOrder = (order: Order) =>
  ['l.article_id as id', ...order.map(({ column }) => `l.${column}`)].join(', ');

/**
 * Selects the rows of a list without search, of the store or of a category: a range of one index, or of both statuses
 * merged.
 */
const selectRows =
  (selectedStatuses: readonly Status[]): NonNullable<ListStatement<OfStore & { scope: string }>['rows']> =>
  ($, { page, after, limits }) => {
    const lists = selectedStatuses.flatMap((status) => {
      const range = rangeWithin(status, page.order, after);
      return range === null
        ? []
        : (limits: string) => `
            select ${columnsOfOrder(page.order)} from article_listing l
            where store_id = ${$.storeId} and scope = ${$.scope} and status = '${status}' and ${range}
              and ${scopeExists($.storeId, $.scope)}
            ${orderBy(orderWithin(status, page.order))} ${limits}`;
    });
    return mergedRows(page, limits, lists);
  };

/** Makes articles available to the global search. */
export const searchArticles = defineSearch({
  type: 'article',
  table: 'article',
  text: 't.search',
  title: 't.title',
  subtitle: 't.slug',
});
