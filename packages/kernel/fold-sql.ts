/**
 * Writes the SQL function `folded` from `foldText`, so that PostgreSQL and Node.js fold text alike:
 * `node packages/kernel/fold-sql.ts > packages/kernel/migrations/0000_….sql`. The function spells its tables out,
 * because PostgreSQL knows another version of Unicode than Node.js does.
 */
import { foldText } from '@waybill/contracts';

const codePoints = Array.from({ length: 0x110000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code));

const escaped = (char: string) => {
  const code = char.codePointAt(0)!;
  return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`;
};
const hex = (code: number, digits: number) => code.toString(16).padStart(digits, '0');

/** Returns the inside of a bracket expression that matches `chars`. */
function toRanges(chars: readonly string[]): string {
  const ranges: [string, string][] = [];
  for (const char of chars) {
    const last = ranges.at(-1);
    if (last && char.codePointAt(0) === last[1].codePointAt(0)! + 1) last[1] = char;
    else ranges.push([char, char]);
  }
  return ranges
    .map(([from, to]) => (from === to ? escaped(from) : `${escaped(from)}-${escaped(to)}`))
    .join('');
}

const literal = (text: string) => (text === "'" ? "''''" : `E'${[...text].map(escaped).join('')}'`);

/**
 * The code points that remain when a text is decomposed. The constants below follow what happens once marks are removed
 * and the text is composed again.
 */
const decomposed = codePoints.filter((char) => char.normalize('NFKD') === char);
const bases = decomposed.filter((char) => /[\p{Script=Latin}\p{Script=Greek}]/u.test(char));
const marks = decomposed.filter((char) => /\p{M}/u.test(char));
const withoutMarks = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/([\p{Script=Latin}\p{Script=Greek}])\p{M}+/gu, '$1')
    .normalize('NFC');
const changed = codePoints.filter((char) => withoutMarks(char) === char && foldText(char) !== char);
const pairs = changed.filter((char) => [...foldText(char)].length === 1 && char > '\x7f');
const longer = changed.filter((char) => [...foldText(char)].length > 1);

// translate() searches its table from the start for each letter, so a text is compared only with the tables of its
// script.
const bounds = [0x80, 0x370, 0x400, 0x530, 0x2000, 0x2c00, 0x10000, 0x110000];
const tables = bounds.slice(1).map((end, i) => {
  const of = pairs.filter((char) => char.codePointAt(0)! >= bounds[i]! && char.codePointAt(0)! < end);
  return `
  if t ~ '[${toRanges(of)}]' then
    t := translate(t, ${literal(of.join(''))}, ${literal(of.map(foldText).join(''))});
  end if;`;
});
const replacing = longer.map(
  (char) => `
    t := replace(t, ${literal(char)}, ${literal(foldText(char))});`,
);

process.stdout.write(`-- A text as searches and sorting compare it, \`decisions.md 19.2\`. Written by \`packages/kernel/fold-sql.ts\` from \`foldText\`,
-- which services fold with; a test compares them over all of Unicode.
create or replace function folded(text) returns text language plpgsql immutable strict parallel safe as $folded$
declare
  t text collate "C" := $1;
begin
  if octet_length(t) = char_length(t) then return lower(t); end if;
  t := normalize(t, nfkd);
  t := regexp_replace(t, '([${toRanges(bases)}])[${toRanges(marks)}]+', '\\1', 'g');
  t := lower(normalize(t, nfc));${tables.join('')}
  if t ~ '[${toRanges(longer)}]' then${replacing.join('')}
  end if;
  return t;
end
$folded$;
`);
