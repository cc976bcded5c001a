import fc from 'fast-check';
import { isKnown, rangeOf } from '../src/files/conditions.ts';
import { disposition } from '../src/files/disposition.ts';
import { nameOfFile } from '../src/uploads/names.ts';

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
    expect(nameOfFile(fileName, 'fallback')).toBe(name);
  });

  test('has 1 to 200 characters, no folder and no control character, whatever it is', () => {
    fc.assert(
      fc.property(texts, (fileName) => {
        const name = nameOfFile(fileName, 'fallback');
        expect([...name].length).toBeGreaterThanOrEqual(1);
        expect([...name].length).toBeLessThanOrEqual(200);
        expect(name).not.toMatch(/[\p{Cc}/\\]/u);
        expect(name.isWellFormed()).toBe(true);
      }),
    );
  });
});

test('a Content-Disposition is one header of two parameters, and its name comes back, whatever it is', () => {
  fc.assert(
    fc.property(texts, (name) => {
      const header = disposition('inline', name);
      const [, encoded] = /^inline; filename="[\x20-\x7e]*"; filename\*=UTF-8''([\w.~%-]*)$/.exec(header)!;
      expect(header.split('"')).toHaveLength(3);
      expect(decodeURIComponent(encoded!)).toBe(name.toWellFormed());
    }),
  );
});

test('a range lies in the file, or is refused or overlooked, whatever the header is', () => {
  const numbers = fc.oneof(fc.nat(30).map(String), fc.constant(''), fc.bigInt({ min: 0n }).map(String));
  const headers = fc.oneof(
    fc.tuple(numbers, numbers).map(([a, b]) => `bytes=${a}-${b}`),
    texts,
  );
  fc.assert(
    fc.property(headers, fc.integer({ min: 1, max: 30 }), (header, size) => {
      const range = rangeOf(header, undefined, '"x"', size);
      if (range === null || range === 'unsatisfiable') return;
      expect(range.start).toBeGreaterThanOrEqual(0);
      expect(range.end).toBeGreaterThanOrEqual(range.start);
      expect(range.end).toBeLessThan(size);
    }),
    { numRuns: 500 },
  );
});

test('only a list of tags with this one makes a copy right', () => {
  fc.assert(
    fc.property(texts, (header) =>
      expect(isKnown(header, '"x"')).toBe(header.trim() === '*' || header.includes('"x"')),
    ),
  );
});
