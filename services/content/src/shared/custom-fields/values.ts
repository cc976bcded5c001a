import type { CustomFieldEntity } from '@waybill/contracts';
import { createOwnValues } from '@waybill/custom-fields';
import type { Context } from '../../config.ts';

/** The entities whose values this service keeps. */
export const ownEntities = ['page', 'article'] as const satisfies readonly CustomFieldEntity[];

/** Makes what reads and shows the values of pages and articles. */
export const createContentValues = (context: Context) =>
  createOwnValues<(typeof ownEntities)[number]>(context);
