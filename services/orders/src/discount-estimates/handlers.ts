import type { Handlers } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { estimateDiscount } from './estimate.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  estimateDiscount: ({ storeId, body }) => estimateDiscount(context, storeId, body),
});
