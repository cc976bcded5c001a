/** The replacements of letters and signs in a lower-case text: `decisions.md 19.2`. */
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
  ...mapCharacters('\u2018\u2019\u02bc', "'"),
  ...mapCharacters('\u201c\u201d\u201e\u201f', '"'),
  ...mapCharacters('\u2010\u2011\u2012\u2013\u2014\u2015\u2212', '-'),
  ...mapCharacters('\u0085\u1680\u2028\u2029', ' '),
};

function mapCharacters(from: string, to: string): Record<string, string> {
  return Object.fromEntries([...from].map((char) => [char, to]));
}

const replaced = new RegExp(`[${Object.keys(replacements).join('')}]`, 'g');
const isAscii = /^\p{ASCII}*$/u;

/**
 * Returns a text as searches and sorting compare it, `decisions.md 19.2`: `Łódź` and `lodz` are equal, as are `O’Brien`
 * and `o'brien`. The SQL function `folded` does the same: `packages/kernel/fold-sql.ts` generates it from this
 * function. A change here needs a migration that replaces it and folds stored texts again.
 */
export function foldText(text: string): string {
  if (isAscii.test(text)) return text.toLowerCase();
  return (
    text
      .normalize('NFKD')
      .replace(/([\p{Script=Latin}\p{Script=Greek}])\p{M}+/gu, '$1')
      .normalize('NFC')
      // Upper case first: full case folding unifies letters that have no common lower-case form.
      .toUpperCase()
      .toLowerCase()
      .replace(replaced, (char) => replacements[char]!)
  );
}
