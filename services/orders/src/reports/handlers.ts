import type { Handlers } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { reportPayments, reportSales, reportTopProducts } from './reports.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  reportSales: ({ storeId, query }) => reportSales(context, storeId, query),
  reportPayments: ({ storeId, query }) => reportPayments(context, storeId, query),
  reportTopProducts: ({ storeId, query }) => reportTopProducts(context, storeId, query),
});
