/** What becomes of letters and signs once the text is lower-case: `decisions.md 19.2`. */
const replacements: Readonly<Record<string, string>> = {
  ς: 'σ',
  ß: 'ss',
  ł: 'l',
  ø: 'o',
  æ: 'ae',
  œ: 'oe',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ё: 'е',
  ...spread('\u2018\u2019\u02bc', "'"),
  ...spread('\u201c\u201d\u201e\u201f', '"'),
  ...spread('\u2010\u2011\u2012\u2013\u2014\u2015\u2212', '-'),
  ...spread('\u0085\u1680\u2028\u2029', ' '),
};

function spread(from: string, to: string): Record<string, string> {
  return Object.fromEntries([...from].map((char) => [char, to]));
}

const replaced = new RegExp(`[${Object.keys(replacements).join('')}]`, 'g');
const isAscii = /^\p{ASCII}*$/u;

/**
 * A text as searches and sorting compare it, `decisions.md 19.2`: `Łódź` and `lodz` are one, as are `O’Brien` and
 * `o'brien`. The SQL function `folded` does the same: `packages/kernel/fold-sql.ts` writes it from this
 * one. A change here needs a migration that replaces it and folds anew what is stored.
 */
export function foldText(text: string): string {
  if (isAscii.test(text)) return text.toLowerCase();
  return (
    text
      .normalize('NFKD')
      .replace(/([\p{Script=Latin}\p{Script=Greek}])\p{M}+/gu, '$1')
      .normalize('NFC')
      // Upper case first: full case folding makes one of letters that have no lower case of their own in common.
      .toUpperCase()
      .toLowerCase()
      .replace(replaced, (char) => replacements[char]!)
  );
}
