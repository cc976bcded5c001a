import Type, { type TSchema } from 'typebox';

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

/** The same schema, or null. */
export function nullable<Item extends TSchema>(item: Item) {
  return Type.Union([item, Type.Null()]);
}
