import { wordsIn } from './words.ts';

/** How many digits a currency's minor unit has, where that is not two. */
const minorDigits: Readonly<Record<string, number>> = {
  ...Object.fromEntries(
    [
      'BIF',
      'CLP',
      'DJF',
      'GNF',
      'ISK',
      'JPY',
      'KMF',
      'KRW',
      'PYG',
      'RWF',
      'UGX',
      'UYI',
      'VND',
      'VUV',
      'XAF',
      'XOF',
      'XPF',
    ].map((code) => [code, 0]),
  ),
  ...Object.fromEntries(['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'].map((code) => [code, 3])),
};

const symbols: Readonly<Record<string, string>> = {
  EUR: '€',
  USD: '$',
  GBP: '£',
  JPY: '¥',
  CNY: 'CN¥',
  KRW: '₩',
  INR: '₹',
  ILS: '₪',
  VND: '₫',
  BRL: 'R$',
  CAD: 'CA$',
  AUD: 'A$',
  NZD: 'NZ$',
  MXN: 'MX$',
  HKD: 'HK$',
  TWD: 'NT$',
  PHP: '₱',
};

/** An amount in minor units as a decimal number, without its currency: `1234.50`, `1200`. */
export function decimalMoney(minorUnits: number, currency: string): string {
  const digits = minorDigits[currency] ?? 2;
  const text = String(Math.abs(Math.trunc(minorUnits))).padStart(digits + 1, '0');
  const whole = text.slice(0, text.length - digits);
  return `${minorUnits < 0 ? '-' : ''}${whole}${digits > 0 ? `.${text.slice(-digits)}` : ''}`;
}

/**
 * An amount in minor units as a language writes it, by its BCP 47 tag: `€1,234.50`, `¥1,200`, `CHF 9.90`, in German
 * `1.234,50 €`. By a table of our own, since `Intl` differs between engines and their versions.
 */
export function formatMoney(minorUnits: number, currency: string, tag?: string): string {
  const { group, groupsFrom, fraction, pattern } = wordsIn(tag).money;
  const [whole = '', part] = decimalMoney(Math.abs(minorUnits), currency).split('.');
  const grouped = whole.length < groupsFrom ? whole : whole.replace(/\B(?=(?:\d{3})+$)/g, group);
  const amount = part === undefined ? grouped : `${grouped}${fraction}${part}`;
  const symbol = symbols[currency];
  // A code does not touch the amount.
  const form = symbol === undefined ? pattern.replace('¤#', '¤\u00a0#') : pattern;
  const text = form.replace('#', amount).replace('¤', () => symbol ?? currency);
  return minorUnits < 0 ? `-${text}` : text;
}
