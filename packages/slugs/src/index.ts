import { slugMaxLength } from '@waybill/contracts/slugs';
import { transliterate } from 'transliteration';

/**
 * The slug of a text, `decisions.md 19.3`: transliterated to ASCII, lower-case, with everything else but letters and
 * digits turned to single hyphens. A text that leaves nothing gives `fallback`.
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
