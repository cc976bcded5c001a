/** Maximum of a price, `decisions.md 1.2`. */
const maxCents = 1_000_000_000_000;

/** Maximum of a variant's stock. */
const maxStock = 1_000_000_000;

/** Digits in groups of three, separated by the same mark throughout; with commas also in Indian groups. */
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
 * Whether a text has a lone mark followed by three digits, as in `12.345`: thousands to some readers, a fraction to
 * others. The text is clear if the currency has no fraction, or if it has three decimals and the mark is the one that
 * exports use.
 */
export function isAmbiguous(text: string, digits: number): boolean {
  const bare = bareOf(text);
  return /^[1-9]\d{0,2}[.,]\d{3}$/.test(bare) && digits > 0 && !(digits === 3 && bare.includes('.'));
}

const bareOf = (text: string) =>
  text.replace(/\p{Sc}|^\s*[A-Za-z]{3}(?=[\d\s])|(?<=[\d\s])[A-Za-z]{3}\s*$/gu, '').trim();

/**
 * Reads an amount as people and spreadsheets write it (`12.5`, `12,50 €`, `1.234,50`, `CHF 1'200.00`), in the minor
 * unit of a currency with that many digits. Null if its meaning is not certain.
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

/** Reads a number of pieces, 0 or more. Null if the text is not one, or may be a fraction. */
export function readCount(text: string): number | null {
  const bare = text.trim();
  if (/^[1-9]\d{0,2}[.,]\d{3}$/.test(bare) || !wholes.some((form) => form.test(bare))) return null;
  const count = Number(bare.replace(/\D/g, ''));
  return count <= maxStock ? count : null;
}
