import { numberedSlug, slugMaxLength, slugPattern } from '@waybill/contracts/slugs';
import fc from 'fast-check';
import { deriveSlug } from '../src/index.ts';

test('every text gives a well-formed slug or the fallback, and deriving twice changes nothing', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 300 }),
      fc.integer({ min: 1, max: 10 ** 7 }),
      (text, n) => {
        const slug = numberedSlug(deriveSlug(text, 'fallback'), n);
        expect(slug).toMatch(new RegExp(slugPattern));
        expect(slug.length).toBeLessThanOrEqual(slugMaxLength);
        expect(deriveSlug(slug, 'x')).toBe(slug);
      },
    ),
  );
});

test.each([
  ['  Crème brûlée — 2 × ½  ', 'creme-brulee-2-x-1-2'],
  ['Straße nach Süden', 'strasse-nach-suden'],
  ['GROẞE STRAẞE', 'grosse-strasse'],
  ['Łopata', 'lopata'],
  ['Əliyev Məmməd', 'eliyev-memmed'],
  ['Әлем', 'alem'],
  ['ᲗᲑᲘᲚᲘᲡᲘ', 't-bilisi'],
  ['Чайник синий', 'chaynik-siniy'],
  ['Ørsted Æther Œuvre Đorđe', 'orsted-aether-oeuvre-dorde'],
  ['İstanbul’da Iğdır', 'istanbul-da-igdir'],
  ['Όδυσσεύς', 'odysseys'],
  ['茶', 'cha'],
  ['A & B', 'a-b'],
  ['☃', 'fallback'],
])('the slug of %j is %s', (text, slug) => {
  expect(deriveSlug(text, 'fallback')).toBe(slug);
});
