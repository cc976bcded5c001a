/** The numbers that a field accepts. */
export interface NumberRules {
  /** BCP 47 tag of the form's language. It decides the decimal mark. */
  language: string;
  /** Maximum number of decimals. */
  decimals: number;
  /** An ISO 4217 code. The code or its symbol may stand beside the number. */
  currency?: string | undefined;
}

/** The reason why a text is not an acceptable number. */
export type NumberFault = 'notANumber' | 'unclear' | 'tooManyDecimals';

const groupedBy = (mark: string) => new RegExp(`^[1-9]\\d{0,2}(?:\\${mark}\\d{3})+$`);

/** The decimal mark of a language; the other of `.` and `,` separates thousands. */
function getDecimalMark(language: string): string {
  const parts = new Intl.NumberFormat(language).formatToParts(1.5);
  return parts.find(({ type }) => type === 'decimal')?.value === ',' ? ',' : '.';
}

/** Returns what may stand beside the number: the signs and the code of its currency, or the percent sign. */
function listUnits({ language, currency }: NumberRules): string[] {
  if (!currency) return ['%'];
  const signs = (['symbol', 'narrowSymbol'] as const).map((currencyDisplay) => {
    const format = new Intl.NumberFormat(language, { style: 'currency', currency, currencyDisplay });
    return format.formatToParts(0).find(({ type }) => type === 'currency')!.value;
  });
  return [...signs, currency];
}

/**
 * Reads a number in the notation of the form's language. Other notations are accepted where they have only one meaning,
 * such as `95,00` or `1.234,50`. Nothing is dropped or rounded silently.
 */
export function readTypedNumber(typed: string, rules: NumberRules): number | NumberFault {
  const { language, decimals } = rules;
  const bare = listUnits(rules)
    .reduce((text, unit) => text.replace(unit, ''), typed)
    .trim()
    .replace(/^[-\u2212]\s*/, '-');
  const isNegative = bare.startsWith('-');
  // Spaces and apostrophes are accepted only between thousands.
  const digits = bare.slice(isNegative ? 1 : 0).replace(/(?<=\d)[\s'’](?=\d{3}(?!\d))/g, '');
  if (!/^\d[\d.,]*$|^[.,]\d+$/.test(digits)) return 'notANumber';
  const mark = getDecimalMark(language);
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
  // Three digits after the other mark are ambiguous: thousands in this language, a fraction in others.
  if (!hasBoth && used !== mark && fraction.length === 3) return 'unclear';
  if (hasOtherThanZeros(fraction.slice(decimals))) return 'tooManyDecimals';
  return signed(`${whole.replace(/\D/g, '') || '0'}.${fraction || '0'}`, isNegative);
}

const hasOtherThanZeros = (digits: string): boolean => /[^0]/.test(digits);

const signed = (text: string, isNegative: boolean): number => {
  const number = Number(text);
  return isNegative && number !== 0 ? -number : number;
};
