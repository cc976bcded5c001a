import { matchesIfNoneMatch } from '@waybill/kernel';
import { parse } from 'content-disposition';
import fc from 'fast-check';
import { buildDisposition } from '../src/files/handlers.ts';
import { resolveRange } from '../src/files/range.ts';
import { toAssetName } from '../src/uploads/names.ts';

const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({
    unit: fc.constantFrom('/', '\\', '.', '"', '\r', '\n', '\0', '%', ';', 'a', '\u202e', '東'),
    maxLength: 300,
  }),
);

describe('the name of an asset from that of a file', () => {
  test.each([
    ['photo.png', 'photo.png'],
    ['C:\\Users\\Ann\\photo.png', 'photo.png'],
    ['/etc/passwd', 'passwd'],
    ['../../x', 'x'],
    [' a\tb\u202egnp.exe ', 'abgnp.exe'],
    [`${'x'.repeat(300)}.jpeg`, `${'x'.repeat(195)}.jpeg`],
    ['a%22b%0D%0ac%25.png', 'a"bc%25.png'],
    ['folder/', 'fallback'],
    ['..', 'fallback'],
    ['', 'fallback'],
  ])('%j gives %j', (fileName, name) => {
    expect(toAssetName(fileName, 'fallback')).toBe(name);
  });

  test('always has 1 to 200 characters, no folder and no control character', () => {
    fc.assert(
      fc.property(texts, (fileName) => {
        const name = toAssetName(fileName, 'fallback');
        expect([...name].length).toBeGreaterThanOrEqual(1);
        expect([...name].length).toBeLessThanOrEqual(200);
        expect(name).not.toMatch(/[\p{Cc}/\\]/u);
        expect(name.isWellFormed()).toBe(true);
      }),
    );
  });
});

test('a Content-Disposition is printable ASCII and preserves any name', () => {
  fc.assert(
    fc.property(texts, (name) => {
      const header = buildDisposition('inline', name);
      expect(header).toMatch(/^inline; filename=[\x20-\x7e]*$/);
      expect(parse(header)).toMatchObject({ type: 'inline', parameters: { filename: name.toWellFormed() } });
    }),
  );
});

test('any Range header is satisfied within the file, refused or ignored', () => {
  const numbers = fc.oneof(fc.nat(30).map(String), fc.constant(''), fc.bigInt({ min: 0n }).map(String));
  const headers = fc.oneof(
    fc.tuple(numbers, numbers).map(([a, b]) => `bytes=${a}-${b}`),
    texts,
  );
  fc.assert(
    fc.property(headers, fc.integer({ min: 1, max: 30 }), (header, size) => {
      const range = resolveRange(header, undefined, '"x"', size);
      if (range === null || range === 'unsatisfiable') return;
      expect(range.start).toBeGreaterThanOrEqual(0);
      expect(range.end).toBeGreaterThanOrEqual(range.start);
      expect(range.end).toBeLessThan(size);
    }),
    { numRuns: 500 },
  );
});

test('a copy is current only if its tags include this one', () => {
  const tags = fc.constantFrom('"x"', 'W/"x"', '"y"', 'W/"y"', '""', 'x');
  fc.assert(
    fc.property(fc.array(tags), fc.constantFrom(',', ', ', ' ,  '), (list, comma) =>
      expect(matchesIfNoneMatch({ 'if-none-match': list.join(comma) }, '"x"')).toBe(
        list.some((tag) => tag === '"x"' || tag === 'W/"x"'),
      ),
    ),
  );
  fc.assert(
    fc.property(texts, (header) => {
      fc.pre(header !== '*' && !header.includes('"x"'));
      expect(matchesIfNoneMatch({ 'if-none-match': header }, '"x"')).toBe(false);
    }),
  );
});
