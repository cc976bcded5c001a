import { use, useSyncExternalStore } from 'react';
import { bindCatalogue, type Compiled, type Translation } from './messages.ts';

/** The languages of the console. */
export const languages = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof languages;

/** The language of the messages of the API. */
export const apiLanguage: Language = 'en';

/** The texts of a feature, one chunk per language. English defines the keys. */
export interface Texts<Words> {
  read(language: Language): Promise<Words>;
}

/** The texts declared by all modules loaded so far. */
const defined: Texts<unknown>[] = [];

type Sources<Catalogue> = { en: () => Promise<{ default: Catalogue }> } & Record<
  Exclude<Language, 'en'>,
  () => Promise<{ default: Translation<Catalogue> }>
>;

/**
 * Declares a feature's texts: `defineTexts({ en: () => import('./en/products.ts'), de: () => import('./de/products.ts')
 * })`. They start to load at once, because the importing module is about to show them.
 */
export function defineTexts<Catalogue>(sources: Sources<Catalogue>): Texts<Compiled<Catalogue>> {
  const read = new Map<Language, Promise<Compiled<Catalogue>>>();
  const texts: Texts<Compiled<Catalogue>> = {
    read(language) {
      const known = read.get(language);
      if (known) return known;
      const words = sources[language]().then((module) =>
        bindCatalogue(module.default as Catalogue, language),
      );
      read.set(language, words);
      // A failed load is tried again on the next read.
      words.then(
        // React's own marker for a settled promise: `use` then never suspends, not even briefly.
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

/** Resolves when all texts declared so far have loaded or failed to load. */
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

/** The language of the console in this browser. */
export const language = {
  read: (): Language => chosen,
  /**
   * Switches the language once all its texts are loaded, so that no screen has to wait. If called again meanwhile, the
   * last choice wins.
   */
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

/** Returns a feature's texts in the current language; suspends until they are loaded. */
export function useTexts<Words>(texts: Texts<Words>): Words {
  return use(texts.read(useLanguage()));
}
