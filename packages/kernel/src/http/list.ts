import { Readable } from 'node:stream';
import Type, { type TSchema } from 'typebox';
import type { ListPart } from '../db/lists.ts';
import { Answer, jsonType, rawJson } from './answer.ts';

/** Paging of every list, `store-api.md 4.1`. */
export const paging = {
  limit: Type.Integer({
    minimum: 1,
    maximum: 200,
    default: 50,
    description: 'A larger value counts as 200.',
  }),
  offset: Type.Integer({ minimum: 0, default: 0, description: 'Rows to skip.' }),
};

/** A list's envelope: the rows under their plural name, and how many there are before paging. */
export function listOf<Key extends string, Item extends TSchema>(key: Key, item: Item) {
  return Type.Object({ [key]: Type.Array(item), total: Type.Integer({ minimum: 0 }) } as {
    [K in Key]: ReturnType<typeof Type.Array<Item>>;
  } & { total: ReturnType<typeof Type.Integer> });
}

/**
 * The answer of a list whose items may be large: what does not fit into one part is read when the client has taken
 * what came before, so no such list is ever whole in memory.
 */
export function listAnswer(
  key: string,
  { total, ...first }: ListPart & { total: number },
  readNext: (ids: string[]) => Promise<ListPart>,
): Answer {
  const [head, tail] = [`{"${key}":[`, `],"total":${total}}`];
  if (first.rest.length === 0) return rawJson(head + first.items + tail);
  async function* parts() {
    let { items, rest } = first;
    yield head + items;
    while (rest.length > 0) {
      ({ items, rest } = await readNext(rest));
      // Those of this part may have been deleted since.
      if (items !== '') yield `,${items}`;
    }
    yield tail;
  }
  return new Answer(Readable.from(parts(), { objectMode: false }), jsonType);
}

/** `after`, the cursor that the page before has given as `nextCursor`: `decisions.md 11.3`. */
export const after = {
  after: Type.Optional(
    Type.String({ description: '`nextCursor` of the page before; every filter as it was there.' }),
  ),
};

/** A list's envelope with the cursor of its next page. */
export function pagesOf<Key extends string, Item extends TSchema>(key: Key, item: Item) {
  return Type.Object({
    ...listOf(key, item).properties,
    nextCursor: nullable(Type.String({ description: 'Null at the end.' })),
  });
}

/** The same schema, or null. */
export function nullable<Item extends TSchema>(item: Item) {
  return Type.Union([item, Type.Null()]);
}
