/** Maximum number of locales of a store, including its default one: `decisions.md 17.6`. */
export const maxLocales = 20;

/** Returns a locale in canonical form, null if it is invalid: `decisions.md 4.7`. */
export function canonicalLocale(tag: string): string | null {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null;
  } catch {
    return null;
  }
}
