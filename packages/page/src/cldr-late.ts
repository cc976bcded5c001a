import type * as table from './cldr.ts';

/**
 * The console's substitute for the table of `cldr.ts`. The whole table is large, so it loads beside the editor and not
 * before it. Until then amounts are written as in English.
 */
export let commonSymbols: typeof table.commonSymbols = ['EUR€', 'GBP£', 'JPY¥', 'USD$'];
export let forms: typeof table.forms = [',|4|3|.|0|¤#|-¤#'];
export let locales: typeof table.locales = ['en|0'];

/** Loads the whole table. */
export async function loadMoneyForms(): Promise<void> {
  ({ commonSymbols, forms, locales } = await import('./cldr.ts'));
}
