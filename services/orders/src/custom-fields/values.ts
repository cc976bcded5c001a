import type { CustomFieldEntity } from '@waybill/contracts';
import { createOwnValues } from '@waybill/custom-fields';
import type { Context } from '../config.ts';

/** The entities whose values this service keeps. */
export const ownEntities = ['customer', 'order'] as const satisfies readonly CustomFieldEntity[];

/** Makes what reads and shows the values of customers and orders. */
export const createOrderValues = (context: Context) => createOwnValues<(typeof ownEntities)[number]>(context);
