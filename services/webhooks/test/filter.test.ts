import { type FilterCondition, filterProblems, matchesFilter } from '@waybill/contracts';
import fc from 'fast-check';
import { FilteredEvent } from '../src/filters/select.ts';

const event = {
  id: 'evt_1',
  type: 'product.updated',
  createdAt: '2026-11-26T10:00:00.000Z',
  data: {
    product: {
      id: 'prd_1',
      status: 'active',
      stock: 5,
      note: null,
      tags: [],
      sizes: ['s', 'm'],
      variants: [
        { sku: 'A-1', price: 10, sold: [{ at: '2026-11-01T00:00:00Z' }] },
        { sku: 'B-2', price: 20, sold: [] },
      ],
    },
  },
};
const passes = (path: string, op: FilterCondition['op'], value: unknown) =>
  matchesFilter([{ path, op, value } as FilterCondition], event);

describe('a condition', () => {
  test.each<[string, FilterCondition['op'], unknown, boolean]>([
    ['data.product.status', 'is', 'active', true],
    ['data.product.status', 'is', 'Active', false],
    ['data.product.stock', 'is', 5, true],
    ['data.product.stock', 'is', '5', false],
    ['data.product.note', 'is', null, true],
    ['data.product.gone', 'is', null, false],
    ['data.product.gone', 'isNot', null, true],
    ['data.product.status', 'isNot', 'active', false],
    ['data.product.gone', 'exists', false, true],
    ['data.product.gone', 'exists', true, false],
    ['data.product.note', 'exists', true, true],
    ['data.product.tags', 'exists', true, false],
    ['data.product.tags', 'exists', false, true],
    ['data.product.gone', 'above', 0, false],
    ['data.product.gone', 'contains', 'a', false],
    ['data.product.sizes', 'is', 'm', true],
    ['data.product.sizes', 'isNot', 'm', false],
    ['data.product.sizes', 'in', ['x', 's'], true],
    ['data.product.variants.sku', 'startsWith', 'B', true],
    ['data.product.variants.sku', 'contains', '-1', true],
    ['data.product.variants.price', 'above', 19, true],
    ['data.product.variants.price', 'above', 20, false],
    ['data.product.variants.price', 'below', 10, false],
    ['data.product.variants.sold.at', 'below', '2026-11-01T02:00:00+01:00', true],
    ['data.product.variants.sold.at', 'above', '2026-11-01T02:00:00+01:00', false],
    ['data.product.stock', 'above', '2026-11-01T02:00:00+01:00', false],
    ['createdAt', 'above', '2026-11-26T10:59:59+01:00', true],
    ['type', 'in', ['product.updated'], true],
    ['data.product.constructor', 'exists', true, false],
    ['data.product.status.length', 'exists', true, false],
  ])('%s %s %j: %s', (path, op, value, expected) => {
    expect(passes(path, op, value)).toBe(expected);
  });

  test.each<[unknown, string]>([
    [{ path: 'product.status', op: 'is', value: 1 }, '/filter/0/path'],
    [{ path: 'data..x', op: 'is', value: 1 }, '/filter/0/path'],
    [{ path: 'data.x', op: 'is', value: [1] }, '/filter/0/value'],
    [{ path: 'data.x', op: 'in', value: 1 }, '/filter/0/value'],
    [{ path: 'data.x', op: 'exists', value: 'true' }, '/filter/0/value'],
    [{ path: 'data.x', op: 'above', value: 'tall' }, '/filter/0/value'],
    [{ path: 'data.x', op: 'below', value: '2026-02-30T00:00:00Z' }, '/filter/0/value'],
    [{ path: 'data.x', op: 'contains', value: 5 }, '/filter/0/value'],
  ])('%j is refused', (condition, pointer) => {
    expect(filterProblems([condition as FilterCondition]).map((problem) => problem.pointer)).toEqual([
      pointer,
    ]);
  });
});

describe('the language of conditions', () => {
  const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
  const tree = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      scalar,
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value')),
    ),
  })).value;
  const path = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 4 });
  const createPath = (names: readonly string[]) => ['data', ...names].join('.');
  const holds = (data: unknown, names: readonly string[], op: FilterCondition['op'], value: unknown) =>
    matchesFilter([{ path: createPath(names), op, value } as FilterCondition], { data });

  test('have opposites', () => {
    fc.assert(
      fc.property(tree, path, scalar, (data, names, value) => {
        expect(holds(data, names, 'isNot', value)).toBe(!holds(data, names, 'is', value));
        expect(holds(data, names, 'exists', false)).toBe(!holds(data, names, 'exists', true));
      }),
    );
  });

  test('hold for a list if they hold for one of its members', () => {
    const positive = fc.constantFrom('is', 'above', 'below', 'contains', 'startsWith') as fc.Arbitrary<
      FilterCondition['op']
    >;
    fc.assert(
      fc.property(fc.array(tree, { maxLength: 4 }), path, positive, scalar, (list, names, op, value) => {
        expect(holds(list, names, op, value)).toBe(list.some((member) => holds(member, names, op, value)));
      }),
    );
  });

  test('on missing fields hold only for isNot, and for exists with false', () => {
    fc.assert(
      fc.property(tree, scalar, (data, value) => {
        const nowhere = ['nowhere'];
        for (const op of ['is', 'above', 'below', 'contains', 'startsWith'] as const)
          expect(holds(data, nowhere, op, value)).toBe(false);
        expect(holds(data, nowhere, 'isNot', value)).toBe(true);
        expect(holds(data, nowhere, 'exists', false)).toBe(true);
      }),
    );
  });

  test('of a filter must all hold, and `in` is `is` for one of its values', () => {
    fc.assert(
      fc.property(tree, path, fc.array(scalar, { minLength: 1, maxLength: 5 }), (data, names, values) => {
        const one = values.some((value) => holds(data, names, 'is', value));
        expect(holds(data, names, 'in', values)).toBe(one);
        const conditions = values.map(
          (value) => ({ path: createPath(names), op: 'is', value }) as FilterCondition,
        );
        expect(matchesFilter(conditions, { data })).toBe(
          values.every((value) => holds(data, names, 'is', value)),
        );
      }),
    );
  });

  test('never throw for any event', () => {
    const op = fc.constantFrom(
      'is',
      'isNot',
      'in',
      'exists',
      'above',
      'below',
      'contains',
      'startsWith',
    ) as never;
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), op, (data, text, name: FilterCondition['op']) => {
        const value = name === 'in' ? [text] : name === 'exists' ? true : text || 'x';
        expect(typeof matchesFilter([{ path: `data.${text}`, op: name, value }], { data })).toBe('boolean');
      }),
    );
  });
});

test('a filter sees the event in the form that its reader may read, or in both forms while that is unknown', () => {
  const filter: FilterCondition[] = [{ path: 'data.product.status', op: 'is', value: 'active' }];
  const filtered = new FilteredEvent({
    id: 'evt_1',
    type: 'product.updated',
    createdAt: '2026-11-26T10:00:00.000Z',
    data: JSON.stringify(event.data),
  });
  expect(filtered.matches(filter, ['products.read'])).toBe(true);
  expect(filtered.matches(filter, [])).toBe(false);
  expect(filtered.matches(filter, undefined)).toBe(true);
  expect(filtered.matches(null, [])).toBe(true);
});
