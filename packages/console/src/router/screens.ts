import type { ComponentType, ReactNode } from 'react';
import { language, wordsThere } from '../texts/texts.ts';
import type { Location } from './history.ts';

/** A component of a chunk that loads when it is needed. */
export interface LazyScreen<Props = object> {
  /** Loads the chunk and all of its texts: a screen that suspended while in use would lose the user's focus. */
  load(): Promise<ComponentType<Props>>;
}

/** Search parameters as a screen gets them. They stay strings: a search for "1.50" is not a search for 1.5. */
export type Search = Readonly<Record<string, unknown>>;

export interface Route {
  /** Below the base path, such as `orders/:orderId`; `*` stands for any rest. */
  path: string;
  screen: LazyScreen;
  /** Reads the search parameters; those that it returns replace what the address says. */
  search?(given: Search): object;
  /** Runs before the screen is shown. Returns the address to which it redirects, if any. */
  guard?(location: Location): Promise<string | null>;
  /** The component around this screen and others, such as the frame. It stays when the screen changes. */
  around?: LazyScreen<{ children: ReactNode }>;
}

type PropsOf<Exported> = Exported extends ComponentType<infer Props> ? Props : never;

/** Declares a screen, or a component around screens, by the export of its chunk. */
export function lazyScreen<Chunk, Name extends keyof Chunk>(
  load: () => Promise<Chunk>,
  name: Name,
): LazyScreen<PropsOf<Chunk[Name]>> {
  type Loaded = ComponentType<PropsOf<Chunk[Name]>>;
  let loaded: Promise<Loaded> | null = null;
  return {
    load() {
      loaded ??= load().then(
        async (chunk) => {
          await wordsThere(language.read());
          return chunk[name] as Loaded;
        },
        (error) => {
          loaded = null;
          reloadOnce(error);
          throw error;
        },
      );
      return loaded;
    },
  };
}

/**
 * Reloads the page if a chunk is missing, because a newer console may have replaced it. Each error does so once in a
 * tab, so a chunk that stays away is reported.
 */
function reloadOnce(error: Error): void {
  const key = `waybill.reloaded:${error.message}`;
  const isMissing = /dynamically imported module|Importing a module script failed/.test(error.message);
  if (!isMissing || sessionStorage.getItem(key) !== null) return;
  sessionStorage.setItem(key, '1');
  location.reload();
}
