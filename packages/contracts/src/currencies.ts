/**
 * The active currencies of ISO 4217, list one, by their number of decimals, without funds codes (those of list two, UYW
 * among them), metals and units of account without decimals. Locale data is no substitute: it differs between runtimes,
 * and rounds amounts that the law does not.
 */
const codesByExponent: Readonly<Record<number, string>> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF',
  2: `
AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP CRC CUP CVE
CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW
KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK
PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS
UAH USD UYU UZS VED VES WST XCD XCG YER ZAR ZMW ZWG`,
  3: 'BHD IQD JOD KWD LYD OMR TND',
};

const exponents: ReadonlyMap<string, number> = new Map(
  Object.entries(codesByExponent).flatMap(([exponent, codes]) =>
    codes
      .trim()
      .split(/\s+/)
      .map((code) => [code, Number(exponent)] as const),
  ),
);

/** The currencies that a store may have, by code: `decisions.md 19.1`. */
export const currencies: readonly string[] = [...exponents.keys()].sort();

/** Whether a store may have this currency. */
export const isCurrency = (code: string): boolean => exponents.has(code);

/** Returns the number of decimals of a currency; two for a code that is not active, which older stores may have. */
export const currencyExponent = (code: string): number => exponents.get(code) ?? 2;

/** Returns an amount in minor units as a plain decimal number, to the last digit: `1234.50`, `1200`, `0.005`. */
export function decimalAmount(minorUnits: number, exponent: number): string {
  const text = String(Math.abs(Math.trunc(minorUnits))).padStart(exponent + 1, '0');
  const integerDigits = text.slice(0, text.length - exponent);
  return `${minorUnits < 0 ? '-' : ''}${integerDigits}${exponent > 0 ? `.${text.slice(-exponent)}` : ''}`;
}

/** Creates a function that formats amounts in minor units in a locale, with the decimals of the currency. */
export function createMoneyFormat(locale: string, currency: string): (minorUnits: number) => string {
  const exponent = currencyExponent(currency);
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: exponent,
    maximumFractionDigits: exponent,
  });
  return (minorUnits) => format.format(decimalAmount(minorUnits, exponent) as `${number}`);
}
