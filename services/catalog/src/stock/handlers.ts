import { type Handlers, rawJson } from '@waybill/kernel';
import type { Tables } from '../tables.ts';
import type { routes } from './routes.ts';
import { adjustStock } from './stock.ts';

export const handlers = (): Handlers<typeof routes, Tables> => ({
  adjustStock: {
    write: async ({ storeId, params, body }, write) =>
      rawJson(await adjustStock(write, storeId, params.id, params.variantId, body)),
  },
});
