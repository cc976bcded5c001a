/** In how many locales a store can be shown, its default one among them: `decisions.md 17.6`. */
export const maxLocales = 20;

/** A locale in canonical form, null when it is none: `decisions.md 4.7`. */
export function canonicalLocale(tag: string): string | null {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null;
  } catch {
    return null;
  }
}
