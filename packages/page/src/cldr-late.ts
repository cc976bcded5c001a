import type * as table from './cldr.ts';

/**
 * The table of `cldr.ts` for the console, which takes this in its place: the whole is large, and comes beside the editor
 * rather than before it. Until then amounts are as in English.
 */
export let commonSymbols: typeof table.commonSymbols = ['EUR€', 'GBP£', 'JPY¥', 'USD$'];
export let forms: typeof table.forms = [',|4|3|.|0|¤#|-¤#'];
export let locales: typeof table.locales = ['en|0'];

/** Loads the whole table. */
export async function loadMoneyForms(): Promise<void> {
  ({ commonSymbols, forms, locales } = await import('./cldr.ts'));
}
