import Type from 'typebox';
import { createStrictCheck, prefersStrict } from '../../src/http/strict.ts';
import { nullable } from '../../src/index.ts';

const Item = Type.Object({
  id: Type.String(),
  name: Type.String(),
  totalStock: Type.Integer(),
  settings: Type.Object({}, { additionalProperties: true }),
  variants: Type.Array(Type.Object({ id: Type.String(), sku: Type.String(), available: Type.Boolean() })),
});
const Input = Type.Object({
  name: Type.String(),
  description: Type.Optional(Type.String()),
  settings: Type.Optional(Type.Object({}, { additionalProperties: true })),
  variants: Type.Optional(
    nullable(Type.Array(Type.Object({ sku: Type.String(), priceCents: Type.Integer() }))),
  ),
  value: Type.Optional(Type.Unknown()),
});
const reader = {
  method: 'GET',
  path: '/api/v1/items/{id}',
  access: 'credential',
  summary: '',
  answer: [200, Type.Object({ item: Item })],
} as const;
const find = createStrictCheck(Input, [reader]);

test('fields that an item’s GET returns are accepted, and free-form objects may contain anything', () => {
  const item = {
    id: 'x',
    name: 'Tea',
    totalStock: 1,
    settings: { a: { b: 1 } },
    value: { any: [{ thing: 1 }] },
  };
  expect(find({ ...item, variants: [{ id: 'v', sku: 's', priceCents: 1, available: true }] })).toEqual([]);
  expect(find({ ...item, variants: null })).toEqual([]);
});

test('a part accepts what the GET of the whole item returns of it, and no other fields of the item', () => {
  const findInVariant = createStrictCheck(Type.Object({ sku: Type.String(), priceCents: Type.Integer() }), [
    { ...reader, method: 'PATCH', path: `${reader.path}/variants/{variantId}` },
    reader,
  ]);
  expect(findInVariant({ id: 'v', sku: 's', priceCents: 1, available: true })).toEqual([]);
  const unknown = findInVariant({ sku: 's', priceCents: 1, name: 'Tea', totalStock: 1 });
  expect(unknown.map(({ pointer }) => pointer)).toEqual(['/name', '/totalStock']);
});

test('each unknown field is reported with its pointer and a suggestion', () => {
  expect(
    find({
      name: 'Tea',
      descripton: '',
      'a/b': 1,
      item: {},
      variants: [{ sku: 's', price_cents: 1 }, { SKU: 1 }],
    }).map(({ pointer, message }) => `${pointer} ${message}`),
  ).toEqual([
    '/descripton is not known here (did you mean description?)',
    '/a~1b is not known here',
    '/item is not known here',
    '/variants/0/price_cents is not known here (did you mean priceCents?)',
    '/variants/1/SKU is not known here (did you mean sku?)',
  ]);
});

test.each([
  ['handling=strict', true],
  ['respond-async, Handling="strict"; x=y', true],
  ['handling=lenient, handling=strict', false],
  ['handling=strictly', false],
  [undefined, false],
])('Prefer: %s', (header, isStrict) => {
  expect(prefersStrict(header)).toBe(isStrict);
});
