import { use, useSyncExternalStore } from 'react';

/** The languages that the console speaks. */
export const languages = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof languages;

/** A feature's words: English says which there are, the others are chunks of their own with the same keys. */
export interface Texts<Words> {
  read(language: Language): Promise<Words>;
}

/** Of all that has been loaded so far. */
const defined: Texts<unknown>[] = [];

type Source<Words> = Record<Language, () => Promise<{ default: Words }>>;

/**
 * Declares a feature's words: `defineTexts({ en: () => import('./en/products.ts'), de: () => import('./de/products.ts') })`.
 * They are read at once: whoever loads what says them is about to say them.
 */
export function defineTexts<Words>(source: Source<Words>): Texts<Words> {
  const read = new Map<Language, Promise<Words>>();
  const texts: Texts<Words> = {
    read(language) {
      const known = read.get(language);
      if (known) return known;
      const words = source[language]().then((module) => module.default);
      read.set(language, words);
      // One that did not arrive is asked for again.
      words.then(
        // As React itself would note it: `use` of what is there takes no screen away, not even for a moment.
        (value) => Object.assign(words, { status: 'fulfilled', value }),
        () => read.delete(language),
      );
      return words;
    },
  };
  void texts.read(chosen);
  defined.push(texts);
  return texts;
}

/** Until all words of what has been loaded so far are there, or could not be had. */
export const wordsThere = (language: Language) =>
  Promise.allSettled(defined.map((texts) => texts.read(language)));

const key = 'waybill.language';
const watchers = new Set<() => void>();
let chosen: Language = fromStorage() ?? fromBrowser();
let asked = chosen;
document.documentElement.lang = chosen;

function fromStorage(): Language | null {
  const stored = localStorage.getItem(key);
  return stored !== null && Object.hasOwn(languages, stored) ? (stored as Language) : null;
}

function fromBrowser(): Language {
  const wanted = navigator.languages.map((language) => language.slice(0, 2));
  return (wanted.find((language) => Object.hasOwn(languages, language)) as Language | undefined) ?? 'en';
}

/** The language of this browser's console. */
export const language = {
  read: (): Language => chosen,
  /** No screen waits for its words: it changes when they are there. The last choice counts. */
  async choose(next: Language): Promise<void> {
    asked = next;
    await wordsThere(next);
    if (asked !== next) return;
    chosen = next;
    localStorage.setItem(key, next);
    document.documentElement.lang = next;
    for (const watcher of watchers) watcher();
  },
};

function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

export const useLanguage = (): Language => useSyncExternalStore(watch, language.read);

/** A feature's words in the present language; suspends until they are there. */
export function useTexts<Words>(texts: Texts<Words>): Words {
  return use(texts.read(useLanguage()));
}

/** Puts a number's word to it: `plural(count, { one: 'product', other: 'products' })` is English for most. */
export function plural(
  language: Language,
  count: number,
  forms: Partial<Record<Intl.LDMLPluralRule, string>> & { other: string },
): string {
  const form = forms[new Intl.PluralRules(language).select(count)] ?? forms.other;
  return `${new Intl.NumberFormat(language).format(count)} ${form}`;
}
