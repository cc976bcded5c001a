import type { Handlers } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { eraseCustomer } from './erasure.ts';
import { exportCustomer } from './export.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  exportCustomer: ({ storeId, params }) => exportCustomer(context, storeId, params.customerId),
  eraseCustomer: ({ storeId, params, idempotentWrite }) =>
    eraseCustomer(context, storeId, params.customerId, idempotentWrite),
});
