import { currencyExponent } from '@waybill/contracts/currencies';

/** Maximum of a price, `decisions.md 1.2`. */
const maxCents = 1_000_000_000_000;

/** Maximum of a variant's stock. */
const maxStock = 1_000_000_000;

/** Digits in groups of three, separated by the same mark throughout; with commas also in Indian groups. */
const groupedBy = (mark: string) => new RegExp(`^[1-9]\\d{0,2}(?:${mark}\\d{3})+$`);
const integerForms = [
  /^\d+$/,
  /^[1-9]\d?(?:,\d{2})+,\d{3}$/,
  groupedBy('\\.'),
  groupedBy(','),
  groupedBy("['’]"),
  groupedBy('[ \\u00a0\\u202f\\u2009]'),
];

const loneMark = /^[1-9]\d{0,2}[.,]\d{3}$/;

/**
 * Whether a text has a lone mark followed by three digits, as in `12.345`: thousands to some readers, a fraction to
 * others. The text is clear if the currency has no fraction, or if it has three decimals and the mark is the one that
 * exports use.
 */
export function isAmbiguous(text: string, currency: string): boolean {
  const digits = currencyExponent(currency);
  const numeral = stripCurrency(text, currency);
  return loneMark.test(numeral) && digits > 0 && !(digits === 3 && numeral.includes('.'));
}

/** Units by currency, because a file asks for those of one currency at each of its rows. */
const knownUnits = new Map<string, ReadonlySet<string>>();

/** Returns what may stand beside an amount, in lower case: the code and the signs of its currency, such as `r$` or `zł`. */
function listUnits(currency: string): ReadonlySet<string> {
  const known = knownUnits.get(currency);
  if (known) return known;
  const signs = (['symbol', 'narrowSymbol'] as const).map((currencyDisplay) => {
    const format = new Intl.NumberFormat('en', { style: 'currency', currency, currencyDisplay });
    return format.formatToParts(0).find(({ type }) => type === 'currency')!.value;
  });
  const units = new Set([currency, ...signs].map((unit) => unit.toLowerCase()));
  knownUnits.set(currency, units);
  return units;
}

/** Removes the code or a sign of a currency. Those of any other stay, so the rest is no numeral. */
function stripCurrency(text: string, currency: string): string {
  const units = listUnits(currency);
  const removeOwn = (unit: string) =>
    units.has(unit.normalize('NFKC').toLowerCase().replace('.', '')) ? '' : unit;
  return text
    .trim()
    .replace(/^[\p{Sc}\p{L}]{1,3}(?=[\d\s])|(?<=[\d\s])[\p{Sc}\p{L}]{1,3}\.?$/gu, removeOwn)
    .trim();
}

/**
 * Reads an amount as people and spreadsheets write it (`12.5`, `12,50 €`, `1.234,50`, `CHF 1'200.00`), in the minor
 * unit of the currency. Null if its meaning is not certain, also if it names another currency.
 */
export function readAmount(text: string, currency: string): number | null {
  const digits = currencyExponent(currency);
  const numeral = stripCurrency(text, currency);
  if (!/^\d/.test(numeral) || isAmbiguous(text, currency)) return null;
  const at = Math.max(numeral.lastIndexOf('.'), numeral.lastIndexOf(','));
  const fraction = at < 0 ? '' : numeral.slice(at + 1);
  const isFraction =
    at >= 0 && /^\d+$/.test(fraction) && fraction.length <= digits && numeral.indexOf(numeral[at]!) === at;
  const integer = isFraction ? numeral.slice(0, at) : numeral;
  if (!integerForms.some((form) => form.test(integer))) return null;
  const minor = `${integer.replace(/\D/g, '')}${(isFraction ? fraction : '').padEnd(digits, '0')}`;
  return Number(minor) <= maxCents ? Number(minor) : null;
}

/** Whether a number of pieces may be thousands or a fraction. */
export const isAmbiguousCount = (text: string): boolean => loneMark.test(text.trim());

/** Reads a number of pieces, 0 or more. Null if the text is not one, or may be a fraction. */
export function readCount(text: string): number | null {
  const numeral = text.trim();
  if (loneMark.test(numeral) || !integerForms.some((form) => form.test(numeral))) return null;
  const count = Number(numeral.replace(/\D/g, ''));
  return count <= maxStock ? count : null;
}
