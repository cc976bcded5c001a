import type { CustomFieldEntity } from '@waybill/contracts';
import { createOwnValues } from '@waybill/custom-fields';
import type { Context } from '../config.ts';

/** The entities whose values this service stores. */
export const ownEntities = ['customer', 'order'] as const satisfies readonly CustomFieldEntity[];

/** Creates the functions that read and show the values of customers and orders. */
export const createOrderValues = (context: Context) => createOwnValues<(typeof ownEntities)[number]>(context);
