/**
 * Writes `src/cldr.ts` and `src/exponents.ts`: how each locale writes an amount of money, by the CLDR data of the Node
 * that runs this. Pages do not use `Intl`, because engines and their versions differ, so the data are kept in the
 * repository. Run it after an upgrade of Node or a change of the currencies: `node packages/page/cldr/generate.ts`.
 */
import { writeFileSync } from 'node:fs';
import { currencies, currencyExponent } from '@waybill/contracts/currencies';

const letters = 'abcdefghijklmnopqrstuvwxyz';
const pairs = [...letters].flatMap((a) => [...letters].map((b) => a + b));
const triples = pairs.flatMap((pair) => [...letters].map((c) => pair + c));
const regions = [...pairs.map((pair) => pair.toUpperCase()), '001', '150', '419'];
const scripts = (
  'Adlm Arab Aran Beng Cher Cyrl Deva Dsrt Geor Grek Guru Hans Hant Hebr Hmnp Kana Latn Mong Mtei Mymr Nkoo Olck Orya Rohg ' +
  'Shaw Sind Sund Taml Telu Tfng Thai Tibt Vaii Yiii'
).split(' ');

/** Skips aliases such as `deu` for `de`, because locales are stored in canonical form. */
const exists = (tag: string) =>
  Intl.getCanonicalLocales(tag)[0] === tag && new Intl.NumberFormat(tag).resolvedOptions().locale === tag;

function allLocales(): string[] {
  const languages = [...pairs, ...triples].filter(exists);
  const written = languages.flatMap((language) => [
    language,
    ...scripts.map((script) => `${language}-${script}`).filter(exists),
  ]);
  return [
    ...written,
    ...written.flatMap((tag) => regions.map((region) => `${tag}-${region}`)).filter(exists),
  ];
}

const createFormat = (tag: string, currency: string) =>
  new Intl.NumberFormat(tag, {
    style: 'currency',
    currency,
    minimumFractionDigits: currencyExponent(currency),
    maximumFractionDigits: currencyExponent(currency),
  });

const formatCurrencyPart = (tag: string, currency: string) =>
  createFormat(tag, currency)
    .formatToParts(1)
    .find(({ type }) => type === 'currency')!.value;

/** Returns the form of one locale: see `MoneyForm`. */
function describeForm(tag: string): string {
  // A symbol made of letters is written with a space, so the pattern is taken from a symbol without letters.
  const plain = ['XXX', 'USD', 'EUR', ...currencies].find((code) =>
    /^\p{S}(.*\p{S})?$/u.test(formatCurrencyPart(tag, code)),
  );
  const format = createFormat(tag, plain ?? 'XXX');
  const pattern = (amount: number) => {
    const parts = format.formatToParts(amount);
    const ends = parts.flatMap(({ type }, at) => (/integer|group|decimal|fraction/.test(type) ? [at] : []));
    return parts
      .map(({ type, value }, at) => {
        if (at === ends[0]) return '#';
        if (at > ends[0]! && at <= ends.at(-1)!) return '';
        return type === 'currency' ? '¤' : value;
      })
      .join('');
  };
  const formatParts = (amount: number) => format.formatToParts(amount);
  const large = formatParts(12_345_678_901.5);
  const value = (type: string) => large.find((part) => part.type === type)?.value ?? '';
  const groups = large.filter(({ type }) => type === 'integer').map(({ value }) => [...value].length);
  const groupsFrom = [4, 5, 6, 7].find((digits) =>
    formatParts(10 ** (digits - 1)).some(({ type }) => type === 'group'),
  );
  const zero = [...format.formatToParts(0).find(({ type }) => type === 'integer')!.value][0]!;
  return [
    value('group'),
    groupsFrom ?? 99,
    groups.at(-2) ?? 3,
    value('decimal'),
    zero,
    pattern(1),
    pattern(-1),
  ].join('|');
}

/** Returns the symbol of a currency, including the direction mark that follows some symbols. */
function findSymbol(tag: string, currency: string): string {
  const parts = createFormat(tag, currency).formatToParts(1);
  const at = parts.findIndex(({ type }) => type === 'currency');
  const mark = /^[\u200e\u200f\u061c]$/.exec(parts[at + 1]?.value ?? '')?.[0];
  const isOfPattern = mark !== undefined && formByTag.get(tag)!.split('|')[5]!.endsWith(`¤${mark}`);
  return parts[at]!.value + (isOfPattern ? '' : (mark ?? ''));
}

const getParentTag = (tag: string) => tag.slice(0, Math.max(0, tag.lastIndexOf('-')));

const tags = allLocales();
const formByTag = new Map(tags.map((tag) => [tag, describeForm(tag)]));
const symbolsByTag = new Map(
  tags.map((tag) => [tag, new Map(currencies.map((code) => [code, findSymbol(tag, code)]))]),
);

/** The most common symbol of each currency across all locales. */
const common = new Map(
  currencies.map((code) => {
    const counts = new Map<string, number>();
    for (const symbols of symbolsByTag.values()) {
      const symbol = symbols.get(code)!;
      counts.set(symbol, (counts.get(symbol) ?? 0) + 1);
    }
    return [code, [...counts].sort((a, b) => b[1] - a[1])[0]![0]];
  }),
);
const forms = [...new Set(formByTag.values())];
const lines = tags.sort().flatMap((tag) => {
  let parent = getParentTag(tag);
  while (parent !== '' && !formByTag.has(parent)) parent = getParentTag(parent);
  const inherited = symbolsByTag.get(parent) ?? common;
  const own = currencies.filter((code) => symbolsByTag.get(tag)!.get(code) !== inherited.get(code));
  const isSame = parent !== '' && formByTag.get(parent) === formByTag.get(tag) && own.length === 0;
  if (isSame) return [];
  const symbols = own.map((code) => code + symbolsByTag.get(tag)!.get(code)).join('|');
  return [`${tag}|${forms.indexOf(formByTag.get(tag)!)}${symbols && `|${symbols}`}`];
});

const quote = (text: string) => {
  const quoted = `'${text.replace(/[\\']/g, '\\$&').replace(/[^ -~¤€£¥₩₹₪₫₱]/gu, (char) => (/[\p{L}\p{N}\p{S}]/u.test(char) ? char : [...Array(char.length)].map((_, at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`).join('')))}'`;
  return quoted;
};
const list = (name: string, says: string, items: readonly string[]) =>
  `/** ${says} */\nexport const ${name}: readonly string[] = [\n${items.map((item) => `  ${quote(item)},\n`).join('')}];\n`;

writeFileSync(
  new URL('../src/cldr.ts', import.meta.url),
  [
    '// Made by `node packages/page/cldr/generate.ts`: do not edit.\n',
    `/** The version of CLDR that this was made from. */\nexport const cldrVersion = ${quote(process.versions.cldr!)};\n`,
    list(
      'commonSymbols',
      'Each currency whose symbol is not its code, with the symbol that most locales have.',
      [...common].filter(([code, symbol]) => code !== symbol).map((pair) => pair.join('')),
    ),
    list(
      'forms',
      'The group mark, the digits from which it is written, the digits of a group but the last, the decimal mark, the zero, and the patterns of positive and negative amounts.',
      forms,
    ),
    list(
      'locales',
      'The locales that differ from their parent: the tag, the number of its form, and the symbols that differ.',
      lines,
    ),
  ].join('\n'),
);
writeFileSync(
  new URL('../src/exponents.ts', import.meta.url),
  [
    '// Made by `node packages/page/cldr/generate.ts`: do not edit.\n',
    `/** The currencies whose minor unit is not a hundredth, with its decimals: those of \`@waybill/contracts\`. */\nexport const exponents: Readonly<Record<string, number>> = {\n${currencies
      .filter((code) => currencyExponent(code) !== 2)
      .map((code) => `  ${code}: ${currencyExponent(code)},\n`)
      .join('')}};\n`,
  ].join('\n'),
);
