import { currencies, currencyExponent } from '@waybill/contracts/currencies';
import fc from 'fast-check';
import { readTypedNumber } from '../src/ui/typed-number.ts';

test.each<[string, string, number, number]>([
  ['en', '95.00', 2, 95],
  ['en', '95,00', 2, 95],
  ['en', '1,234', 2, 1234],
  ['en', '1.234,50', 2, 1234.5],
  ['en', '1,234,567.89', 2, 1_234_567.89],
  ['en', '-4', 0, -4],
  ['de', '95,00', 2, 95],
  ['de', '95.00', 2, 95],
  ['de', '1.234', 2, 1234],
  ['de', '1 234,5', 2, 1234.5],
  ['en', '25%', 0, 25],
  ['de', "1'200.00", 2, 1200],
  ['en', '1,234', 3, 1234],
  ['en', '1.234', 3, 1.234],
  ['en', '5.00', 0, 5],
])('in %s, %s with %d decimals is %d', (language, text, decimals, number) =>
  expect(readTypedNumber(text, { language, decimals })).toBe(number),
);

test.each<[string, string, number, string]>([
  ['en', 'abc', 2, 'notANumber'],
  ['en', '1,23,4', 2, 'notANumber'],
  ['en', '1 2', 2, 'notANumber'],
  ['en', '1e3', 2, 'notANumber'],
  ['en', '1.234', 2, 'tooManyDecimals'],
  ['de', '1,234', 2, 'tooManyDecimals'],
  ['en', '0,125', 2, 'unclear'],
  ['en', '1.5', 0, 'tooManyDecimals'],
])('in %s, %s with %d decimals is an error: %s', (language, text, decimals, fault) =>
  expect(readTypedNumber(text, { language, decimals })).toBe(fault),
);

test.each<[string, string, number | string]>([
  ['USD', '$1,234,567.89', 1_234_567.89],
  ['EUR', '1 234.50 €', 1234.5],
  ['CAD', '$5', 5],
  ['CHF', 'CHF 5', 5],
  ['EUR', '$5', 'notANumber'],
  ['EUR', '5 USD', 'notANumber'],
  ['USD', '€5', 'notANumber'],
  ['EUR', '5%', 'notANumber'],
])('in a store with %s, %s is %s', (currency, text, read) =>
  expect(readTypedNumber(text, { language: 'en', decimals: 2, currency })).toBe(read),
);

test('an amount that the console shows is read again, in every currency', () =>
  fc.assert(
    fc.property(
      fc.constantFrom('en', 'de'),
      fc.constantFrom(...currencies),
      fc.nat(1_000_000_000),
      (language, currency, cents) => {
        const decimals = currencyExponent(currency);
        const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals };
        const format = new Intl.NumberFormat(language, { style: 'currency', currency, ...digits });
        const read = readTypedNumber(format.format(cents / 10 ** decimals), { language, decimals, currency });
        expect(Math.round(Number(read) * 10 ** decimals)).toBe(cents);
      },
    ),
  ));
