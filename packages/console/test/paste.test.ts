import { readPasted } from '../src/features/products/paste.ts';
import { findPasteColumn } from '../src/features/products/paste-columns.ts';

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

  test('start in the column of the field that has the cursor', () => {
    expect(findPasteColumn('/variants/0/name')).toBe('name');
    expect(findPasteColumn('/variants/12/priceCents')).toBe('priceCents');
    expect(findPasteColumn('')).toBeUndefined();
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
