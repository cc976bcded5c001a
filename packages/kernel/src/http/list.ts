import { Readable } from 'node:stream';
import { errors } from '@waybill/contracts';
import Type, { type TSchema } from 'typebox';
import type { ListPart } from '../db/items.ts';
import type { Order, Page, Position, SortKey } from '../db/order.ts';
import { Answer, jsonType } from './answer.ts';
import { defineCursors } from './cursor.ts';
import { parseInstant } from './instant.ts';

const limit = Type.Integer({
  minimum: 1,
  maximum: 200,
  default: 50,
  description: 'A larger value counts as 200.',
});

/** `after`, the cursor that the page before has given as `nextCursor`: `decisions.md 11.3`. */
export const after = {
  after: Type.Optional(
    Type.String({ description: '`nextCursor` of the page before; every filter as it was there.' }),
  ),
};

/** Paging of every list, `store-api.md 4.1`, `decisions.md 11.3`. `pageOf` reads it. */
export const paging = {
  limit,
  offset: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Rows to skip, 0 by default; not together with `after`.' }),
  ),
  ...after,
};

/** Paging of the few lists that have no cursors. */
export const offsetPaging = {
  limit,
  offset: Type.Integer({ minimum: 0, default: 0, description: 'Rows to skip.' }),
};

/** A list's envelope: the rows under their plural name, and how many there are before paging. */
export function listOf<Key extends string, Item extends TSchema>(key: Key, item: Item) {
  return Type.Object({ [key]: Type.Array(item), total: Type.Integer({ minimum: 0 }) } as {
    [K in Key]: ReturnType<typeof Type.Array<Item>>;
  } & { total: ReturnType<typeof Type.Integer> });
}

/** A list's envelope with the cursor of its next page. */
export function pagesOf<Key extends string, Item extends TSchema>(key: Key, item: Item) {
  return Type.Object({
    ...listOf(key, item).properties,
    nextCursor: nullable(Type.String({ description: 'Null at the end.' })),
  });
}

/** What `paging` reads of a query. */
export interface PageQuery {
  limit: number;
  offset?: number | undefined;
  after?: string | undefined;
}

const cursors = defineCursors('lists', Type.Array(Type.Union([Type.String(), Type.Null()])));

/**
 * Reads which page a request asks for, of the list of this name that `scope` tells from others: the store, or whose else
 * it is. Every other value of the query is a filter or the order, and its cursors are of that list alone,
 * `decisions.md 11.3`.
 * @throws invalid_cursor where it is malformed, of another list, filter or order, or comes together with an offset
 */
export function pageOf(
  list: string,
  scope: readonly unknown[],
  { limit, offset, after, ...filters }: PageQuery,
  order: Order,
): Page {
  const whole = [list, scope, filters];
  const position = cursors.read(whole, after);
  if (position && (offset !== undefined || !isPositionOf(order, position))) throw errors.invalid_cursor();
  return {
    limit,
    offset: offset ?? 0,
    after: position,
    order,
    cursorAt: (next) => next && cursors.at(whole, [...next]),
  };
}

/** Whoever makes up a cursor gets no further than to a place of the list: the database takes these values. */
const isValue: Readonly<Record<SortKey['type'], (text: string) => boolean>> = {
  text: (text) => text.isWellFormed() && !text.includes('\0'),
  bigint: (text) => /^-?\d{1,18}$/.test(text),
  numeric: (text) => /^-?\d{1,1000}(\.\d{1,1000})?$/.test(text),
  timestamptz: (text) => /^(?!0000).*\.\d{6}Z$/.test(text) && parseInstant(text) !== null,
};

function isPositionOf(order: Order, position: Position): boolean {
  const fits = ({ type, nulls }: SortKey, value: string | null | undefined) =>
    value === null ? nulls !== undefined : value !== undefined && isValue[type](value);
  return position.length === order.length && order.every((key, i) => fits(key, position[i]));
}

/** What a list's answer says beside its items. */
interface ListEnd {
  total: number;
  nextCursor: string | null;
}

/**
 * The answer of a list whose items may be large: what does not fit into one part is read when the client has taken
 * what came before, so no such list is ever whole in memory.
 */
export function listAnswer(
  key: string,
  first: ListPart & ListEnd,
  readNext: (ids: string[]) => Promise<ListPart>,
): Answer {
  const { total, nextCursor } = first;
  const [head, tail] = [`{"${key}":[`, `],"total":${total},"nextCursor":${JSON.stringify(nextCursor)}}`];
  if (first.rest.length === 0) {
    const body = listBodies.get(first) ?? Buffer.from(head + first.items + tail);
    listBodies.set(first, body);
    return new Answer(body, jsonType);
  }
  async function* parts() {
    let { items, rest } = first;
    yield items;
    while (rest.length > 0) {
      ({ items, rest } = await readNext(rest));
      yield items;
    }
  }
  return new ListStream(head, parts(), tail);
}

/** The bytes of lists that come whole, by what was read: requests that shared a read share them. */
const listBodies = new WeakMap<ListPart, Buffer>();

/** The answer of a list of which every item is there already, as JSON with commas between. */
export const itemsAnswer = (key: string, { items, ...end }: { items: string } & ListEnd): Answer =>
  listAnswer(key, { items, rest: [], ...end }, () => Promise.resolve({ items: '', rest: [] }));

/** A list that is sent in parts, which are the JSON of some items with commas between. */
export class ListStream extends Answer {
  readonly #parts: [head: string, items: AsyncIterable<string>, tail: string];

  constructor(head: string, items: AsyncIterable<string>, tail: string) {
    super(Readable.from(joined(head, items, tail), { objectMode: false }), jsonType);
    this.#parts = [head, items, tail];
  }

  /** The same list with each part changed; to be sent in place of this one. */
  map(change: (items: string) => string): ListStream {
    const [head, items, tail] = this.#parts;
    async function* changed() {
      for await (const part of items) yield change(part);
    }
    return new ListStream(head, changed(), tail);
  }
}

async function* joined(head: string, items: AsyncIterable<string>, tail: string) {
  let before = head;
  for await (const part of items) {
    // All of this part may have been deleted since its ids were read.
    if (part === '') continue;
    yield before + part;
    before = ',';
  }
  yield before === head ? head + tail : tail;
}

/** The same schema, or null. */
export function nullable<Item extends TSchema>(item: Item) {
  return Type.Union([item, Type.Null()]);
}
