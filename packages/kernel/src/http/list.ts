import { Readable } from 'node:stream';
import { errors } from '@waybill/contracts';
import Type, { type TSchema } from 'typebox';
import type { ListPart } from '../db/items.ts';
import type { Order, Page, Position, SortKey } from '../db/order.ts';
import { Answer, encodeText, jsonType } from './answer.ts';
import { defineCursors } from './cursor.ts';
import { parseInstant } from './instant.ts';

const limit = Type.Integer({
  minimum: 1,
  maximum: 200,
  default: 50,
  description: 'Values above 200 count as 200.',
});

/** `after`, the cursor that the previous page gave as `nextCursor`: `decisions.md 11.3`. */
export const after = {
  after: Type.Optional(
    Type.String({ description: 'The `nextCursor` of the previous page, with the same filters.' }),
  ),
};

/** Paging of every list, `store-api.md 4.1`, `decisions.md 11.3`. `parsePage` reads it. */
export const paging = {
  limit,
  offset: Type.Optional(
    Type.Integer({
      minimum: 0,
      description: 'The number of rows to skip, 0 by default; cannot be combined with `after`.',
    }),
  ),
  ...after,
};

/** Paging of the few lists without cursors. */
export const offsetPaging = {
  limit,
  offset: Type.Integer({ minimum: 0, default: 0, description: 'The number of rows to skip.' }),
};

/** Returns the envelope of a list: the rows under their plural name, and their number before paging. */
export function listSchema<Key extends string, Item extends TSchema>(key: Key, item: Item) {
  return Type.Object({ [key]: Type.Array(item), total: Type.Integer({ minimum: 0 }) } as {
    [K in Key]: ReturnType<typeof Type.Array<Item>>;
  } & { total: ReturnType<typeof Type.Integer> });
}

/** Returns the envelope of a list with the cursor of its next page. */
export function pageSchema<Key extends string, Item extends TSchema>(key: Key, item: Item) {
  return Type.Object({
    ...listSchema(key, item).properties,
    nextCursor: nullable(Type.String({ description: 'Null on the last page.' })),
  });
}

/** The values that `paging` reads from a query. */
export interface PageQuery {
  limit: number;
  offset?: number | undefined;
  after?: string | undefined;
}

const cursors = defineCursors('lists', Type.Array(Type.Union([Type.String(), Type.Null()])));

/**
 * Reads which page a request asks for. `scope` distinguishes the list from others of this name: the store or another
 * owner. Every other value of the query is a filter or the order, and cursors are valid only for the same values,
 * `decisions.md 11.3`.
 * @throws invalid_cursor if it is malformed, belongs to another list, filter or order, or comes together with an offset
 */
export function parsePage(
  list: string,
  scope: readonly unknown[],
  { limit, offset, after, ...filters }: PageQuery,
  order: Order,
): Page {
  const cursorScope = [list, scope, filters];
  const position = cursors.read(cursorScope, after);
  if (position && (offset !== undefined || !matchesOrder(order, position))) throw errors.invalid_cursor();
  return {
    limit,
    offset: offset ?? 0,
    after: position,
    order,
    cursorAt: (next) => next && cursors.at(cursorScope, [...next]),
  };
}

/**
 * Checks the values of a forged cursor, so that the database accepts them: such a cursor only leads to another place of
 * the list.
 */
const isValue: Readonly<Record<SortKey['type'], (text: string) => boolean>> = {
  text: (text) => text.isWellFormed() && !text.includes('\0'),
  bigint: (text) => /^-?\d{1,18}$/.test(text),
  numeric: (text) => /^-?\d{1,1000}(\.\d{1,1000})?$/.test(text),
  timestamptz: (text) => /^(?!0000).*\.\d{6}Z$/.test(text) && parseInstant(text) !== null,
};

function matchesOrder(order: Order, position: Position): boolean {
  const fits = ({ type, nulls }: SortKey, value: string | null | undefined) =>
    value === null ? nulls !== undefined : value !== undefined && isValue[type](value);
  return position.length === order.length && order.every((key, i) => fits(key, position[i]));
}

/** The members of a list's answer besides its items. */
interface ListEnd {
  total: number;
  nextCursor: string | null;
}

/**
 * Answers a list whose items may be large. Items that do not fit into one part are read when the client has received
 * the previous ones, so such a list is never whole in memory.
 */
export function listAnswer(
  key: string,
  first: ListPart & ListEnd,
  readNext: (ids: string[]) => Promise<ListPart>,
): Answer {
  const { total, nextCursor } = first;
  const [head, tail] = [`{"${key}":[`, `],"total":${total},"nextCursor":${JSON.stringify(nextCursor)}}`];
  if (first.rest.length === 0) {
    const body = listBodies.get(first) ?? encodeText(head + first.items + tail);
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

/** The bytes of complete lists, by the read: requests that shared a read share them. */
const listBodies = new WeakMap<ListPart, Buffer>();

/** Answers a list whose items are all there already, as JSON separated by commas. */
export const itemsAnswer = (key: string, { items, ...end }: { items: string } & ListEnd): Answer =>
  listAnswer(key, { items, rest: [], ...end }, () => Promise.resolve({ items: '', rest: [] }));

/** A list that is sent in parts; each part is the JSON of some items, separated by commas. */
export class ListStream extends Answer {
  readonly #parts: [head: string, items: AsyncIterable<string>, tail: string];

  constructor(head: string, items: AsyncIterable<string>, tail: string) {
    super(Readable.from(joinParts(head, items, tail), { objectMode: false }), jsonType);
    this.#parts = [head, items, tail];
  }

  /** Returns the same list with each part changed, to be sent in place of this one. */
  map(change: (items: string) => string): ListStream {
    const [head, items, tail] = this.#parts;
    async function* changed() {
      for await (const part of items) yield change(part);
    }
    return new ListStream(head, changed(), tail);
  }
}

async function* joinParts(head: string, items: AsyncIterable<string>, tail: string) {
  let before = head;
  for await (const part of items) {
    // All items of this part may have been deleted since their ids were read.
    if (part === '') continue;
    yield before + part;
    before = ',';
  }
  yield before === head ? head + tail : tail;
}

/** Returns a schema that also allows null. */
export function nullable<Item extends TSchema>(item: Item) {
  return Type.Union([item, Type.Null()]);
}
