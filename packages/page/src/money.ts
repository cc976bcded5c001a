import { commonSymbols, forms, locales } from './cldr.ts';
import { exponents } from './exponents.ts';

/** How a locale writes an amount of money. */
interface MoneyForm {
  /** The separator between groups of digits, used in whole parts of at least `groupsFrom` digits. */
  group: string;
  groupsFrom: number;
  /** The digits of every group but the last, which has three; two in India. */
  groupSize: number;
  decimal: string;
  /** The digit for 0; those for 1 to 9 follow it. */
  zero: string;
  /** Pattern with `#` for the amount and `¤` for the currency. */
  positive: string;
  negative: string;
  symbols: ReadonlyMap<string, string>;
}

const codeLength = 3;
const toPairs = (texts: readonly string[]) =>
  texts.map((text) => [text.slice(0, codeLength), text.slice(codeLength)] as const);

/** The parsed table. In the console the full table loads late, so `source` tells when it has changed. */
interface Table {
  source: readonly string[];
  rows: ReadonlyMap<string, string>;
  known: Map<string, MoneyForm>;
}
let table: Table | undefined;

function getTable(): Table {
  if (table?.source === locales) return table;
  const rows = locales.map((line) => {
    const end = line.indexOf('|');
    return [line.slice(0, end).toLowerCase(), line.slice(end + 1)] as const;
  });
  table = { source: locales, rows: new Map(rows), known: new Map() };
  return table;
}

/**
 * Returns the tag of a locale and those of its parents, nearest first: `pt-br`, `pt`. Extensions do not affect money.
 */
function listParentTags(tag: string): string[] {
  const parts = tag.toLowerCase().split('-');
  const end = parts.findIndex((part, at) => at > 0 && part.length === 1);
  const own = end < 0 ? parts : parts.slice(0, end);
  return own.map((_, at) => own.slice(0, own.length - at).join('-'));
}

/** Returns the form for a BCP 47 tag: that of the tag itself, else of its nearest known parent, else English. */
function findMoneyForm(tag: string): MoneyForm {
  const { rows, known } = getTable();
  const path = listParentTags(tag).filter((each) => rows.has(each));
  const key = path[0] ?? 'en';
  const found = known.get(key);
  if (found) return found;
  const line = rows.get(key)!.split('|');
  const [group, from, size, decimal, zero, positive, negative] = forms[Number(line[0])]!.split('|');
  const parents = path.length > 0 ? path : ['en'];
  const symbols = [...parents].reverse().flatMap((each) => toPairs(rows.get(each)!.split('|').slice(1)));
  const form: MoneyForm = {
    group: group!,
    groupsFrom: Number(from),
    groupSize: Number(size),
    decimal: decimal!,
    zero: zero!,
    positive: positive!,
    negative: negative!,
    symbols: new Map([...toPairs(commonSymbols), ...symbols]),
  };
  known.set(key, form);
  return form;
}

/** Formats an amount in minor units as a decimal number without its currency: `1234.50`, `1200`. */
export function decimalMoney(minorUnits: number, currency: string): string {
  const digits = Object.hasOwn(exponents, currency) ? exponents[currency]! : 2;
  const text = String(Math.abs(Math.trunc(minorUnits))).padStart(digits + 1, '0');
  const integerDigits = text.slice(0, text.length - digits);
  return `${minorUnits < 0 ? '-' : ''}${integerDigits}${digits > 0 ? `.${text.slice(-digits)}` : ''}`;
}

/**
 * Formats an amount in minor units as a locale (a BCP 47 tag) writes it: `€1,234.50`, `¥1,200`, `CHF 9.90`, in German
 * `1.234,50 €`. Uses the CLDR data in `cldr.ts`, because `Intl` differs between engines and their versions.
 */
export function formatMoney(minorUnits: number, currency: string, tag = 'en'): string {
  const form = findMoneyForm(tag);
  const [integerDigits = '', part] = decimalMoney(Math.abs(minorUnits), currency).split('.');
  const grouped =
    integerDigits.length < form.groupsFrom
      ? integerDigits
      : splitIntoGroups(integerDigits, form.groupSize).join(form.group);
  const amount = localDigits(part === undefined ? grouped : `${grouped}${form.decimal}${part}`, form.zero);
  const symbol = form.symbols.get(currency) ?? currency;
  const pattern = minorUnits < 0 ? form.negative : form.positive;
  return placeSymbol(pattern, symbol)
    .replace('#', () => amount)
    .replace('¤', () => symbol);
}

/** Formats a number as a locale writes it; a number that is too large or too small for that is returned as it is. */
export function formatNumber(value: number, tag = 'en'): string {
  const text = String(Math.abs(value));
  if (!/^\d{1,400}(?:\.\d{1,400})?$/.test(text)) return String(value);
  const form = findMoneyForm(tag);
  const [integerDigits = '', part] = text.split('.');
  const grouped =
    integerDigits.length < form.groupsFrom
      ? integerDigits
      : splitIntoGroups(integerDigits, form.groupSize).join(form.group);
  const digits = localDigits(part === undefined ? grouped : `${grouped}${form.decimal}${part}`, form.zero);
  return `${value < 0 ? '-' : ''}${digits}`;
}

/** Adds a space between the amount and a symbol whose adjacent character is a letter. */
function placeSymbol(pattern: string, symbol: string): string {
  const isLetter = (char: string | undefined) => char !== undefined && !/[\p{S}\p{Z}\p{Cf}]/u.test(char);
  const chars = [...symbol];
  const after = isLetter(chars.at(-1)) ? pattern.replace('¤#', '¤\u00a0#') : pattern.replace('¤#', '¤#');
  return isLetter(chars[0]) ? after.replace('#¤', '#\u00a0¤') : after;
}

function splitIntoGroups(integerDigits: string, size: number): string[] {
  const groups = [integerDigits.slice(-3)];
  for (let end = integerDigits.length - 3; end > 0; end -= size)
    groups.unshift(integerDigits.slice(Math.max(0, end - size), end));
  return groups;
}

function localDigits(text: string, zero: string): string {
  if (zero === '0') return text;
  const start = zero.codePointAt(0)!;
  return text.replace(/\d/g, (digit) => String.fromCodePoint(start + Number(digit)));
}
