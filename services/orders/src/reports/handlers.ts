import type { Handlers } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { reportSales, reportTopProducts } from './reports.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  reportSales: ({ storeId, query }) => reportSales(context, storeId, query),
  reportTopProducts: ({ storeId, query }) => reportTopProducts(context, storeId, query),
});
