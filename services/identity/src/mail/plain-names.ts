/** Characters that mail programs, or the browsers that they open, treat like the ASCII ones. */
const dots = '.。．｡․﹒';
const ats = '@＠﹫';
const colons = ':：﹕︓';
const slashes = '/／';

/** Matches a separate number with decimals or a thousands separator. */
const number = new RegExp(
  `(?<![\\p{L}\\p{N}${dots}-])\\p{Nd}{1,9}\\.\\p{Nd}{1,9}(?![\\p{L}\\p{N}${dots}${ats}${colons}${slashes}-])`,
  'gu',
);

/** Matches the characters that join the parts of an address. A colon counts unless it belongs to a time. */
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
 * Rewrites a name so that mail programs find no link in it: addresses are split where they are joined, such as
 * `evil.example` to `evil. example`. Uses visible spaces, because programs treat other white space differently and
 * browsers drop it. `decisions.md 19.12`.
 */
export function breakLinks(name: string): string {
  const separateJoints = (text: string) =>
    text.replace(joints, (mark) => (ats.includes(mark) ? ` ${mark} ` : `${mark} `));
  // Puts the numbers back between the parts that are no numbers.
  const numbers = name.match(number) ?? [];
  return name
    .split(number)
    .map((text, i) => separateJoints(text) + (numbers[i] ?? ''))
    .join('');
}
