/** Characters that mail programs, or the browsers behind them, read as these. */
const dots = '.。．｡․﹒';
const ats = '@＠﹫';
const colons = ':：﹕︓';
const slashes = '/／';

/** A number with decimals, or with its thousands marked, by itself. */
const number = new RegExp(
  `(?<![\\p{L}\\p{N}${dots}-])\\p{Nd}{1,9}\\.\\p{Nd}{1,9}(?![\\p{L}\\p{N}${dots}${ats}${colons}${slashes}-])`,
  'gu',
);

/** What joins the parts of an address: a colon does unless it is that of a time. */
const joints = new RegExp(
  [
    `(?<=[^\\s${dots}])[${dots}](?=[^\\s${dots}])`,
    `[${ats}]`,
    `[${colons}](?=[^\\s\\p{Nd}])`,
    `(?<!\\p{Nd})[${colons}](?=\\p{Nd})`,
    `[${slashes}](?=[${slashes}])`,
  ].join('|'),
  'gu',
);

/**
 * A name in which no mail program finds a link: addresses come apart where they are joined, `evil.example` as
 * `evil. example`. By spaces that are seen, as programs differ in what they make of others, and browsers leave them out.
 * `decisions.md 19.12`.
 */
export function withoutLinks(name: string): string {
  const apart = (text: string) =>
    text.replace(joints, (mark) => (ats.includes(mark) ? ` ${mark} ` : `${mark} `));
  // Numbers stand between the parts that are no numbers.
  const numbers = name.match(number) ?? [];
  return name
    .split(number)
    .map((text, i) => apart(text) + (numbers[i] ?? ''))
    .join('');
}
