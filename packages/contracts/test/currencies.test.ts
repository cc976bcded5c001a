import { createMoneyFormat, currencies, currencyExponent, isCurrency } from '../src/currencies.ts';

describe('the currencies of ISO 4217', () => {
  test('are all active ones, without funds codes, metals and units of account', () => {
    expect(currencies).toHaveLength(155);
    const none =
      'BGN HRK ANG CUC ZWL BOV CHE CHW CLF COU MXV USN UYI UYW XAU XAG XBA XDR XPD XPT XSU XTS XUA XXX';
    expect(none.split(' ').filter(isCurrency)).toEqual([]);
  });

  test.each([
    ['HUF', 2, 'HUF 12.34'],
    ['JPY', 0, '¥1,234'],
    ['KWD', 3, 'KWD 1.234'],
    ['BGN', 2, 'BGN 12.34'],
  ])('an amount in %s has %i decimals in a mail: %s', (currency, exponent, written) => {
    expect(currencyExponent(currency)).toBe(exponent);
    expect(createMoneyFormat('en', currency)(1234).replace('\u00a0', ' ')).toBe(written);
  });
});
