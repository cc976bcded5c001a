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

/** Returns a language's name in that language, as language lists show it, or its tag when it has no name. */
export function getNativeName(locale: string): string {
  try {
    const name = new Intl.DisplayNames(locale, { type: 'language', fallback: 'code' }).of(locale) ?? locale;
    return name.charAt(0).toLocaleUpperCase(locale) + name.slice(1);
  } catch {
    // Tags of private use (`de-x-tea`) are valid locales, but have no name.
    return locale;
  }
}
