import type { merge as Merge } from './merge.ts';

let loaded: typeof Merge | undefined;

/** Loads the merge code before the first change of another editor arrives; most sessions never need it. */
export async function loadMerge(): Promise<void> {
  loaded ??= (await import('./merge.ts')).merge;
}

/** Merges documents; requires `loadMerge`. */
export const merge: typeof Merge = (...args) => {
  if (!loaded) throw new Error('What merges has not been read.');
  return loaded(...args);
};
