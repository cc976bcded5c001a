/** What a number field takes. */
export interface NumberRules {
  /** BCP 47, of the form: it says which mark stands before decimals. */
  language: string;
  /** How many decimals the number may have. */
  decimals: number;
  /** A code of ISO 4217: it, or its symbol, may stand beside the number. */
  currency?: string | undefined;
}

/** Why a text is no number that a field takes. */
export type NumberFault = 'notANumber' | 'unclear' | 'tooManyDecimals';

const groupedBy = (mark: string) => new RegExp(`^[1-9]\\d{0,2}(?:\\${mark}\\d{3})+$`);

/** The mark before decimals in a language; the other one of `.` and `,` stands between thousands. */
function decimalMarkOf(language: string): string {
  const parts = new Intl.NumberFormat(language).formatToParts(1.5);
  return parts.find(({ type }) => type === 'decimal')?.value === ',' ? ',' : '.';
}

function unitsOf({ language, currency }: NumberRules): string[] {
  if (!currency) return [];
  const parts = new Intl.NumberFormat(language, { style: 'currency', currency }).formatToParts(0);
  return [parts.find(({ type }) => type === 'currency')!.value, currency];
}

/**
 * Reads a number as the language of the form writes it. The marks of another language are read where only one thing can be
 * meant, as in `95,00` or `1.234,50`; nothing is left out or rounded silently.
 */
export function readTypedNumber(typed: string, rules: NumberRules): number | NumberFault {
  const { language, decimals } = rules;
  const bare = unitsOf(rules)
    .reduce((text, unit) => text.replace(unit, ''), typed)
    .replace(/[\p{Sc}%]/u, '')
    .trim()
    .replace(/^[-\u2212]\s*/, '-');
  const isNegative = bare.startsWith('-');
  // Blanks and apostrophes stand between thousands alone.
  const digits = bare.slice(isNegative ? 1 : 0).replace(/(?<=\d)[\s'’](?=\d{3}(?!\d))/g, '');
  if (!/^\d[\d.,]*$|^[.,]\d+$/.test(digits)) return 'notANumber';
  const mark = decimalMarkOf(language);
  const last = Math.max(digits.lastIndexOf('.'), digits.lastIndexOf(','));
  const used = last < 0 ? '' : digits[last]!;
  const hasBoth = digits.includes('.') && digits.includes(',');
  const isRepeated = used !== '' && digits.indexOf(used) !== last;
  if (isRepeated) {
    if (hasBoth || !groupedBy(used).test(digits)) return 'notANumber';
    return signed(digits.replaceAll(used, ''), isNegative);
  }
  if (used === '') return signed(digits, isNegative);
  const [whole, fraction] = [digits.slice(0, last), digits.slice(last + 1)];
  if (hasBoth && !groupedBy(used === '.' ? ',' : '.').test(whole)) return 'notANumber';
  if (!hasBoth && used !== mark && groupedBy(used).test(digits))
    return signed(digits.replace(used, ''), isNegative);
  // Three digits behind the mark of another language are thousands there, and a fraction to others.
  if (!hasBoth && used !== mark && fraction.length === 3) return 'unclear';
  if (hasOtherThanZeros(fraction.slice(decimals))) return 'tooManyDecimals';
  return signed(`${whole.replace(/\D/g, '') || '0'}.${fraction || '0'}`, isNegative);
}

const hasOtherThanZeros = (digits: string): boolean => /[^0]/.test(digits);

const signed = (text: string, isNegative: boolean): number => {
  const number = Number(text);
  return isNegative && number !== 0 ? -number : number;
};
