import fc from 'fast-check';
import { safeMediaUrl, safeUrl } from '../src/url.ts';

const base = 'https://shop.test/page';
const allowed = new Set(['http:', 'https:', 'mailto:', 'tel:']);
const harmful = [
  'javascript:alert(1)',
  'JavaScript:alert(1)',
  ' javascript:alert(1)',
  'java\nscript:alert(1)',
  'java\tscript:x',
  '\u0001javascript:x',
  'javascript\u200b:x',
  '\ufeffjavascript:x',
  'vbscript:x',
  'data:text/html,x',
  'data:image/svg+xml,x',
  'blob:https://x',
  'file:///etc/passwd',
  'filesystem:x',
  'about:blank',
  'view-source:x',
  'ws://x',
  'ftp://x',
  'x:',
  ':x',
  'java\u00adscript:x',
  'a b:c',
  '\\:',
  'tel\u3000:1',
];

test.each(harmful)('%j may not stand in a page', (url) => {
  expect(safeUrl(url)).toBeUndefined();
  expect(safeMediaUrl(url)).toBeUndefined();
});

test.each<[string, string]>([
  ['https://x.test/a b', 'https://x.test/a%20b'],
  ['HTTP://X.test', 'HTTP://X.test'],
  ['/a?b=c:d#e', '/a?b=c:d#e'],
  ['#javascript:x', '#javascript:x'],
  ['?javascript:x', '?javascript:x'],
  ['./a:b', './a:b'],
  ['//cdn.test/x', '//cdn.test/x'],
  ['mailto:a@b.c', 'mailto:a@b.c'],
  ['', ''],
  [' /x ', '/x'],
  ['/a"b\\c<d>`', '/a%22b%5Cc%3Cd%3E%60'],
])('%j stands as %j', (url, shown) => expect(safeUrl(url)).toBe(shown));

test('nothing that loads by itself is written to somebody', () => {
  expect(safeMediaUrl('mailto:a@b.c')).toBeUndefined();
  expect(safeMediaUrl('tel:1')).toBeUndefined();
  expect(safeMediaUrl('/a.png')).toBe('/a.png');
});

/** Pieces of schemes, with characters between them that readers do not see and some parsers skip. */
const pieces = fc.constantFrom(
  'java',
  'script',
  'JAVA',
  'data',
  'vb',
  'http',
  'https',
  'mailto',
  'tel',
  'blob',
  'x',
  '&colon;',
  '%3a',
  ':',
  ':',
  ':',
  '/',
  '//',
  '?',
  '#',
  '\\',
  '@',
  '.',
  ' ',
  '\t',
  '\n',
  '\r',
  '\0',
  '\u0001',
  '\u00a0',
  '\u00ad',
  '\u200b',
  '\u2028',
  '\ufeff',
  '\u202e',
  '\u3000',
  '\u180e',
  '"',
  "'",
  '<',
  '>',
  '`',
  'é',
  '\ud800',
);
const urls = fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join(''));

test('whatever passes is, to the URL standard, of an allowed scheme, and holds nothing that could end an attribute', () => {
  fc.assert(
    fc.property(urls, (url) => {
      const safe = safeUrl(url);
      if (safe === undefined) return;
      expect(safe).not.toMatch(/[\0-\x20\x7f-\xa0"\\<>`\u200b\u2028\u202e\ufeff]/);
      if (URL.canParse(safe, base)) expect(allowed).toContain(new URL(safe, base).protocol);
      const media = safeMediaUrl(url);
      if (media !== undefined && URL.canParse(media, base)) {
        expect(new URL(media, base).protocol).toMatch(/^https?:$/);
      }
    }),
    { numRuns: 20_000 },
  );
});

test('no character that is not seen, and no white space, hides a scheme', () => {
  for (let code = 0; code < 0x110000; code++) {
    const text = String.fromCodePoint(code);
    if (!/[\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(text)) continue;
    for (const url of [`${text}javascript:x`, `java${text}script:x`, `javascript${text}:x`])
      expect([code, safeUrl(url)]).toEqual([code, undefined]);
  }
});

test('what passed passes again unchanged', () => {
  fc.assert(
    fc.property(urls, (url) => {
      const safe = safeUrl(url);
      if (safe !== undefined) expect(safeUrl(safe)).toBe(safe);
    }),
    { numRuns: 5000 },
  );
});
