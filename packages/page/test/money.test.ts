import fc from 'fast-check';
import { formatMoney } from '../src/index.ts';

test.each<[number, string, string]>([
  [0, 'EUR', '€0.00'],
  [5, 'EUR', '€0.05'],
  [123_450, 'EUR', '€1,234.50'],
  [-990, 'EUR', '-€9.90'],
  [-5, 'USD', '-$0.05'],
  [100_000_000, 'GBP', '£1,000,000.00'],
  [0, 'JPY', '¥0'],
  [1200, 'JPY', '¥1,200'],
  [-1_234_567, 'KRW', '-₩1,234,567'],
  [5, 'KWD', 'KWD\u00a00.005'],
  [1_234_567, 'BHD', 'BHD\u00a01,234.567'],
  [-999, 'TND', '-TND\u00a00.999'],
  [990, 'CHF', 'CHF\u00a09.90'],
  [990, 'XYZ', 'XYZ\u00a09.90'],
  [Number.MAX_SAFE_INTEGER, 'EUR', '€90,071,992,547,409.91'],
])('%d in %s is %s', (minorUnits, currency, text) => expect(formatMoney(minorUnits, currency)).toBe(text));

test.each<[string, number, string, string]>([
  ['de', 123_450, 'EUR', '1.234,50\u00a0€'],
  ['de', -990, 'EUR', '-9,90\u00a0€'],
  ['de', 990, 'CHF', '9,90\u00a0CHF'],
  ['de', 1200, 'JPY', '1.200\u00a0¥'],
  ['de-LI', 990, 'EUR', '9,90\u00a0€'],
  ['de-AT', 123_450, 'EUR', '€\u00a01.234,50'],
  ['de-CH', 123_450, 'CHF', 'CHF\u00a01’234.50'],
  ['fr', 123_450, 'EUR', '1\u202f234,50\u00a0€'],
  ['es', 123_450, 'EUR', '1234,50\u00a0€'],
  ['it', 1_234_500, 'EUR', '12.345,00\u00a0€'],
  ['nl', 123_450, 'EUR', '€\u00a01.234,50'],
  ['en-GB', 123_450, 'GBP', '£1,234.50'],
  ['pl', 123_450, 'EUR', '€1,234.50'],
])('in %s, %d in %s is %s', (tag, minorUnits, currency, text) =>
  expect(formatMoney(minorUnits, currency, tag)).toBe(text),
);

test('every amount reads back as it was', () => {
  const currencies = fc.constantFrom('EUR', 'JPY', 'KWD', 'CHF');
  fc.assert(
    fc.property(fc.maxSafeInteger(), currencies, (minorUnits, currency) => {
      const text = formatMoney(minorUnits, currency);
      expect(text).toMatch(/^-?\D+\d{1,3}(?:,\d{3})*(?:\.\d{2,3})?$/);
      const amount = BigInt(text.replace(/\D/g, '')) * (text.startsWith('-') ? -1n : 1n);
      expect(amount).toBe(BigInt(minorUnits));
    }),
  );
});
