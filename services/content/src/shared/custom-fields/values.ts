import type { CustomFieldEntity } from '@waybill/contracts';
import { createOwnValues } from '@waybill/custom-fields';
import type { Context } from '../../config.ts';

/** The entities whose custom field values this service stores. */
export const ownEntities = ['page', 'article'] as const satisfies readonly CustomFieldEntity[];

/** Creates the functions that read and show custom field values of pages and articles. */
export const createContentValues = (context: Context) =>
  createOwnValues<(typeof ownEntities)[number]>(context);
