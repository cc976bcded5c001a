/** Of a price: `decisions.md 1.2`. */
const maxCents = 1_000_000_000_000;

/** Of a variant's stock. */
const maxStock = 1_000_000_000;

/** Digits in groups of three, by one mark throughout; with commas also as in India. */
const grouped = (mark: string) => new RegExp(`^[1-9]\\d{0,2}(?:${mark}\\d{3})+$`);
const wholes = [
  /^\d+$/,
  /^[1-9]\d?(?:,\d{2})+,\d{3}$/,
  grouped('\\.'),
  grouped(','),
  grouped("['’]"),
  grouped('[ \\u00a0\\u202f\\u2009]'),
];

/**
 * A lone mark with three digits behind it, as in `12.345`: thousands to some, a fraction to others. Where the currency
 * has no fraction, or has three decimals and the mark is that of exports, only one of these can be meant.
 */
export function isAmbiguous(text: string, digits: number): boolean {
  const bare = bareOf(text);
  return /^[1-9]\d{0,2}[.,]\d{3}$/.test(bare) && digits > 0 && !(digits === 3 && bare.includes('.'));
}

const bareOf = (text: string) =>
  text.replace(/\p{Sc}|^\s*[A-Za-z]{3}(?=[\d\s])|(?<=[\d\s])[A-Za-z]{3}\s*$/gu, '').trim();

/**
 * An amount as people and spreadsheets write it (`12.5`, `12,50 €`, `1.234,50`, `CHF 1'200.00`), in the minor unit of a
 * currency with that many digits. Null: it cannot be told for certain what is meant.
 */
export function readAmount(text: string, digits: number): number | null {
  const bare = bareOf(text);
  if (!/^\d/.test(bare) || isAmbiguous(text, digits)) return null;
  const at = Math.max(bare.lastIndexOf('.'), bare.lastIndexOf(','));
  const fraction = at < 0 ? '' : bare.slice(at + 1);
  const isFraction =
    at >= 0 && /^\d+$/.test(fraction) && fraction.length <= digits && bare.indexOf(bare[at]!) === at;
  const whole = isFraction ? bare.slice(0, at) : bare;
  if (!wholes.some((form) => form.test(whole))) return null;
  const minor = `${whole.replace(/\D/g, '')}${(isFraction ? fraction : '').padEnd(digits, '0')}`;
  return Number(minor) <= maxCents ? Number(minor) : null;
}

/** A number of pieces, not negative. Null: it is none, or may be a fraction. */
export function readCount(text: string): number | null {
  const bare = text.trim();
  if (/^[1-9]\d{0,2}[.,]\d{3}$/.test(bare) || !wholes.some((form) => form.test(bare))) return null;
  const count = Number(bare.replace(/\D/g, ''));
  return count <= maxStock ? count : null;
}
