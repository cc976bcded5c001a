import { currencies, currencyExponent } from '@waybill/contracts/currencies';
import fc from 'fast-check';
import { locales as cldrLocales, cldrVersion } from '../src/cldr.ts';
import { decimalMoney, formatMoney } from '../src/index.ts';

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
  ['de-LI', 990, 'EUR', 'EUR\u00a09.90'],
  ['pt-BR', 123_456, 'EUR', '€\u00a01.234,56'],
  ['hi-IN', 123_456_789, 'INR', '₹12,34,567.89'],
  ['fa-IR', 123_456, 'EUR', '\u200e€۱٬۲۳۴٫۵۶'],
  ['de-AT', 123_450, 'EUR', '€\u00a01.234,50'],
  ['de-CH', 123_450, 'CHF', "CHF\u00a01'234.50"],
  ['fr', 123_450, 'EUR', '1\u202f234,50\u00a0€'],
  ['es', 123_450, 'EUR', '1234,50\u00a0€'],
  ['it', 1_234_500, 'EUR', '12.345,00\u00a0€'],
  ['nl', 123_450, 'EUR', '€\u00a01.234,50'],
  ['en-GB', 123_450, 'GBP', '£1,234.50'],
  ['pl', 123_450, 'EUR', '1234,50\u00a0€'],
  ['xx', 123_450, 'EUR', '€1,234.50'],
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

test('a minor unit is that of the one table of currencies', () => {
  for (const currency of currencies) {
    const [, decimals = ''] = decimalMoney(1, currency).split('.');
    expect({ currency, decimals: decimals.length }).toEqual({
      currency,
      decimals: currencyExponent(currency),
    });
  }
});

// Exceptions in CLDR for one currency in one locale, and cases in which a run-time breaks its own rule.
const exceptions = new Set(['kea CVE', 'lrc IQD', 'cld SYP', 'syr SYP', 'he CNY']);
const isException = (tag: string, currency: string) =>
  exceptions.has(`${tag} ${currency}`) || tag === 'tok' || (/^en-/.test(tag) && currency === 'EUR');

// For another version, regenerate the table: `node packages/page/cldr/generate.ts`.
(process.versions.cldr === cldrVersion ? test : test.skip)(
  'every locale and currency is as CLDR has it',
  () => {
    const tags = [
      ...cldrLocales.map((line) => line.split('|', 1)[0]!),
      'pt-BR',
      'de-DE',
      'es-MX',
      'sr-Latn-RS',
    ];
    const wrong: string[] = [];
    for (const tag of tags)
      for (const currency of currencies) {
        if (isException(tag, currency)) continue;
        const exponent = currencyExponent(currency);
        const digits = { minimumFractionDigits: exponent, maximumFractionDigits: exponent };
        const format = new Intl.NumberFormat(tag, { style: 'currency', currency, ...digits });
        const expected = format.format(-1_234_567 / 10 ** exponent);
        if (formatMoney(-1_234_567, currency, tag) !== expected) wrong.push(`${tag} ${currency} ${expected}`);
      }
    expect(wrong).toEqual([]);
  },
);
