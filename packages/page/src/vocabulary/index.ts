import { configKeys } from './config.ts';
import { elementTypes } from './elements.ts';
import { specialKeys } from './specials.ts';
import { styleKeys } from './style.ts';
import type { Vocabulary } from './types.ts';
import { widgets } from './widgets.ts';

/**
 * The complete vocabulary of pages, as data. Checks take it as an argument, so that a service can check against the
 * vocabulary that another one serves. The version increases with every change.
 */
export const vocabulary: Vocabulary = {
  version: '3',
  elementTypes,
  widgets,
  writeKeys: { style: styleKeys, config: configKeys, specials: specialKeys },
};
