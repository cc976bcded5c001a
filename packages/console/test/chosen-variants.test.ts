import { findChosen, toVariantKeys } from '../src/features/products/chosen-variants.ts';
import { blankVariant } from '../src/features/products/options.ts';

const stored = (id: string) => ({ ...blankVariant, id });
const [a, b, c] = [stored('a'), stored('b'), stored('c')];

test('selected variants are found wherever they are after a read', () => {
  const keys = toVariantKeys([a, b, c], new Set([1, 2]));
  expect(findChosen([stored('c'), stored('a')], keys)).toEqual(new Set([0]));
});

test('a variant that was discarded before it was stored leaves nobody selected in its place', () => {
  const fresh = { ...blankVariant };
  const keys = toVariantKeys([a, fresh], new Set([1]));
  expect(findChosen([a, fresh], keys)).toEqual(new Set([1]));
  expect(findChosen([a, b], keys)).toEqual(new Set());
});
