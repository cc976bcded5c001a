import { readPasted } from '../src/features/products/paste.ts';

describe('rows that are pasted', () => {
  test('stand from the column at which they are pasted, without their titles', () => {
    expect(readPasted('Name\tSKU\tPrice\tStock\n100 g\tA-1\t9,20 €\t3\n', 'name', 'EUR')).toEqual({
      variants: [{ name: '100 g', sku: 'A-1', priceCents: 920, stock: 3 }],
      problems: [],
    });
    expect(readPasted('9.20\t3\n10\t\n', 'priceCents', 'EUR').variants).toEqual([
      { priceCents: 920, stock: 3 },
      { priceCents: 1000 },
    ]);
  });

  test('say which cell cannot be read', () => {
    expect(readPasted('a\tb\tfree\t1\nc\td\t2\tsome\n', 'name', 'EUR').problems).toEqual([
      { row: 2, column: 'stock', value: 'some' },
    ]);
    expect(readPasted('a\tb\tfree\t1', 'name', 'EUR').problems).toEqual([
      { row: 1, column: 'priceCents', value: 'free' },
    ]);
  });
});
