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
  ...{ EUR: '€', USD: '$', GBP: '£', JPY: '¥', CNY: 'CN¥', KRW: '₩', INR: '₹', ILS: '₪', VND: '₫' },
  ...{ BRL: 'R$', CAD: 'CA$', AUD: 'A$', NZD: 'NZ$', MXN: 'MX$', HKD: 'HK$', TWD: 'NT$', PHP: '₱' },
};

/** An amount in minor units as a decimal number, without its currency: `1234.50`, `1200`. */
export function decimalMoney(minorUnits: number, currency: string): string {
  const digits = minorDigits[currency] ?? 2;
  const text = String(Math.abs(Math.trunc(minorUnits))).padStart(digits + 1, '0');
  const whole = text.slice(0, text.length - digits);
  return `${minorUnits < 0 ? '-' : ''}${whole}${digits > 0 ? `.${text.slice(-digits)}` : ''}`;
}

/**
 * An amount in minor units as text: `€1,234.50`, `¥1,200`, `CHF 9.90`. By a table of our own, since `Intl` differs
 * between engines and their versions.
 */
export function formatMoney(minorUnits: number, currency: string): string {
  const digits = minorDigits[currency] ?? 2;
  const text = String(Math.abs(Math.trunc(minorUnits))).padStart(digits + 1, '0');
  const whole = text.slice(0, text.length - digits).replace(/\B(?=(?:\d{3})+$)/g, ',');
  const amount = digits > 0 ? `${whole}.${text.slice(-digits)}` : whole;
  const symbol = symbols[currency] ?? `${currency}\u00a0`;
  return `${minorUnits < 0 ? '-' : ''}${symbol}${amount}`;
}
