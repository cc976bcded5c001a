import { slugMaxLength } from '@waybill/contracts/slugs';
import { transliterate } from 'transliteration';

/**
 * Derives the slug of a text (`decisions.md 19.3`): transliterated to ASCII and lower-cased, with every run of
 * characters other than letters and digits replaced by a single hyphen. Returns `fallback` if nothing is left.
 */
export function deriveSlug(text: string, fallback: string): string {
  const slug = transliterate(text.normalize('NFKC'))
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, slugMaxLength + 1)
    .replace(/^-|-$/g, '')
    .slice(0, slugMaxLength)
    .replace(/-$/, '');
  return slug || fallback;
}
