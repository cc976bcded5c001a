import { type Handlers, rawJson, type ServiceContext } from '@waybill/kernel';
import type { Tables } from '../tables.ts';
import type { routes } from './routes.ts';
import { adjustStock } from './stock.ts';

export const handlers = ({ transaction }: ServiceContext<object, Tables>): Handlers<typeof routes> => ({
  adjustStock: async ({ storeId, params, body }) =>
    rawJson(await adjustStock(transaction, storeId, params.id, params.variantId, body)),
});
