import { slugMaxLength } from '@waybill/contracts/slugs';
import { transliterate } from 'transliteration';

/** Letters of languages in use that the library would drop: of Azerbaijani, and of Kazakh and Tatar. */
const missing: [string, string][] = [
  ['ə', 'e'],
  ['ә', 'a'],
];

/**
 * Derives the slug of a text (`decisions.md 19.3`): transliterated to ASCII and lower-cased, with every run of
 * characters other than letters and digits replaced by a single hyphen. Returns `fallback` if nothing is left.
 */
export function deriveSlug(text: string, fallback: string): string {
  // Lower case first: the library knows fewer capitals, for example no ẞ.
  const slug = transliterate(text.normalize('NFKC').toLowerCase(), { replace: missing })
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, slugMaxLength + 1)
    .replace(/^-|-$/g, '')
    .slice(0, slugMaxLength)
    .replace(/-$/, '');
  return slug || fallback;
}
