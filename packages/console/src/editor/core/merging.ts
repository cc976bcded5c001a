import type { merge as Merge } from './merge.ts';

let loaded: typeof Merge | undefined;

/** Reads what merges, before anything of somebody else's comes in: most who edit never meet anybody. */
export async function loadMerge(): Promise<void> {
  loaded ??= (await import('./merge.ts')).merge;
}

/** Once `loadMerge` has come. */
export const merge: typeof Merge = (...given) => {
  if (!loaded) throw new Error('What merges has not been read.');
  return loaded(...given);
};
