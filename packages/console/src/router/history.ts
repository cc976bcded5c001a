import { createBrowserHistory, type HistoryLocation } from '@tanstack/history';

export type Location = HistoryLocation;

/** The browser's history. Addresses begin with the console's base path. */
export const history = createBrowserHistory();

export interface Navigation {
  /** Whether the new address replaces the current one in the history. */
  replaces?: boolean;
  /** Whether the window keeps its scroll position. */
  keepsScroll?: boolean;
  /** Whether the address changes even if a screen would ask first. */
  isForced?: boolean;
  /** Kept in the history beside the address. */
  state?: object;
}

/** Opens an address of the console. */
export function navigate(
  href: string,
  { replaces = false, keepsScroll = false, isForced = false, state }: Navigation = {},
): void {
  history[replaces ? 'replace' : 'push'](href, { ...state, keepsScroll }, { ignoreBlocker: isForced });
}

/** Changes search parameters of the current address; `undefined` removes one. The window keeps its scroll position. */
export function changeSearch(
  changes: Readonly<Record<string, string | undefined>>,
  navigation: Navigation = {},
): void {
  const parameters = new URLSearchParams(history.location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) parameters.delete(name);
    else parameters.set(name, value);
  }
  const search = parameters.size > 0 ? `?${parameters}` : '';
  navigate(history.location.pathname + search, { keepsScroll: true, ...navigation });
}
