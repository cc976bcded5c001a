import { type Handlers, rawJson, type ServiceContext } from '@waybill/kernel';
import { createCatalogValues } from '../field-values/values.ts';
import type { Tables } from '../tables.ts';
import type { routes } from './routes.ts';
import { adjustStock } from './stock.ts';

export function handlers(context: ServiceContext<object, Tables>): Handlers<typeof routes, Tables> {
  const values = createCatalogValues(context);
  return {
    adjustStock: {
      async write({ principal, storeId, params, body }, write) {
        const view = await values.createView(principal, storeId, 'product', write.trx);
        return rawJson(view.envelope(await adjustStock(write, storeId, params.id, params.variantId, body)));
      },
    },
  };
}
