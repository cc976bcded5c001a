import { Readable } from 'node:stream';
import { json } from 'node:stream/consumers';
import Type from 'typebox';
import { listMapNames, readFields, withFields } from '../../src/http/fields.ts';
import { Answer, listAnswer, rawJson } from '../../src/index.ts';

const pick = (fields: string, value: unknown, mapNames: readonly string[] = []) => {
  const selection = readFields({ fields });
  return selection ? withFields(value, selection, new Set(mapNames)) : value;
};
const item = { id: 1, name: 'Tea', tags: ['a'], none: null, variants: [{ id: 2, sku: 'T', stock: 1 }] };

describe('?fields', () => {
  test.each([
    ['name', { id: 1, name: 'Tea' }],
    ['tags,none', { id: 1, tags: ['a'], none: null }],
    ['variants', { id: 1, variants: item.variants }],
    ['variants.sku', { id: 1, variants: [{ id: 2, sku: 'T' }] }],
    ['variants.sku,variants', { id: 1, variants: item.variants }],
    ['variants,variants.sku', { id: 1, variants: item.variants }],
    [' name , variants.stock ,', { id: 1, name: 'Tea', variants: [{ id: 2, stock: 1 }] }],
    ['none.of.these', { id: 1, none: null }],
    ['name.first,tags.x', { id: 1, tags: [] }],
    ['unknown,__proto__,constructor.name', { id: 1 }],
    ['id', { id: 1 }],
    ['a.b.c.d.e.f.g.h.i', { id: 1 }],
    ['', item],
    [',', item],
    ['x'.repeat(2001), item],
  ])('%s', (fields, expected) => {
    expect(pick(fields, { product: item })).toEqual({ product: expected });
    const list = { products: [item, item], total: 7, nextCursor: 'abc' };
    expect(pick(fields, list)).toEqual({ ...list, products: [expected, expected] });
  });

  test('keeps lists of scalars beside the items', () => {
    const envelope = { store: { id: 's', name: 'Shop', slug: 'shop' }, scopes: ['a', 'b'], none: [] };
    expect(pick('name', envelope)).toEqual({ ...envelope, store: { id: 's', name: 'Shop' } });
  });

  test('reduces the items of each list of a map, and keeps its names', () => {
    const byEntity = { prd_1: [{ field: 'name', value: 'Tee', source: 'human' }], prd_2: [] };
    expect(pick('value', { byEntity }, ['byEntity'])).toEqual({
      byEntity: { prd_1: [{ value: 'Tee' }], prd_2: [] },
    });
    // An item whose fields are all lists is no map.
    expect(pick('zones', { shipping: { zones: [item], rates: [item] } })).toEqual({
      shipping: { zones: [item] },
    });
    const answer = Type.Union([
      Type.Object({ items: Type.Array(Type.Object({})), total: Type.Integer() }),
      Type.Object({ byEntity: Type.Record(Type.String(), Type.Array(Type.Object({}))) }),
    ]);
    expect(listMapNames({ answer: [200, answer] } as never)).toEqual(new Set(['byEntity']));
    expect(listMapNames({ answer: [204, null] } as never)).toEqual(new Set());
  });

  test('leaves the content of documents alone', () => {
    const document = { rootId: 'r', nodes: [{ id: 'r', type: 'text' }] };
    const envelope = { document, draft: { revision: 1, savedAt: 'now' } };
    expect(pick('revision', envelope)).toEqual({ document, draft: { revision: 1 } });
  });

  test('reduces an item that is called a document, such as that of an order', () => {
    expect(pick('kind', { document: { id: 1, kind: 'invoice', number: 'A' } })).toEqual({
      document: { id: 1, kind: 'invoice' },
    });
  });

  test('keeps the headers, the status, and answers that are not JSON objects', () => {
    const answer = new Answer(
      JSON.stringify({ product: item }),
      'application/json; charset=utf-8',
      { etag: '"x"' },
      203,
    );
    expect(pick('name', answer)).toMatchObject({
      body: '{"product":{"id":1,"name":"Tea"}}',
      headers: { etag: '"x"' },
      status: 203,
    });
    for (const other of [
      new Answer('', 'application/json; charset=utf-8', { etag: '"x"' }, 304),
      new Answer('<p>', 'text/html'),
      rawJson('[1]'),
    ]) {
      expect(pick('name', other)).toMatchObject({ body: other.body, status: other.status });
    }
  });

  test('reduces a streamed list part by part', async () => {
    const parts = [[item, item], [], [item]].map((items) =>
      items.map((each) => JSON.stringify(each)).join(','),
    );
    let read = 0;
    const next = async () => ({ items: parts[++read]!, rest: read < 2 ? ['more'] : [] });
    const first = { items: parts[0]!, rest: ['more'], total: 9, nextCursor: null };
    const answer = pick('name', listAnswer('products', first, next)) as Answer;
    expect(answer.body).toBeInstanceOf(Readable);
    expect(read).toBe(0);
    const each = { id: 1, name: 'Tea' };
    expect(await json(answer.body as Readable)).toEqual({
      products: [each, each, each],
      total: 9,
      nextCursor: null,
    });
  });
});
