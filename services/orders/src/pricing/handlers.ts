import { type Handlers, type Lock, networkOf, takeOrRefuse } from '@waybill/kernel';
import { euCountries } from '@waybill/pricing';
import type { Context } from '../config.ts';
import { lockRules } from './queries.ts';
import { createQuoting } from './quotes.ts';
import type { routes } from './routes.ts';
import { applyTaxPreset, changeShipping, changeTaxes, findTaxes, findZones } from './settings.ts';

export const lock =
  ({ transaction }: Context): Lock =>
  ({ storeId }) =>
    transaction((trx) => lockRules(trx, storeId));

export function handlers(context: Context): Handlers<typeof routes> {
  const { db, transaction, cache, config } = context;
  const { quote, quoteForPage } = createQuoting(context);
  return {
    getTaxes: async ({ storeId }) => ({ taxes: await findTaxes(db, storeId) }),
    replaceTaxes: async ({ storeId, body }) => ({ taxes: await changeTaxes(transaction, storeId, body) }),
    applyTaxPreset: async ({ storeId, body }) => ({
      taxes: await applyTaxPreset(transaction, storeId, body.preset),
    }),
    getShipping: async ({ storeId }) => ({ shipping: { zones: await findZones(db, storeId) } }),
    replaceShipping: async ({ storeId, body }) => ({
      shipping: { zones: await changeShipping(transaction, storeId, body) },
    }),
    quote: {
      // Nobody signs in to ask what something costs: it is the address that is limited, whatever it asks for.
      guard: ({ address }) => takeOrRefuse(cache, `quote:${networkOf(address)}`, config.checkoutLimit),
      handle: ({ params, body }) => quote(params.storeId, body, 'stranger'),
    },
    quoteForCustomer: ({ storeId, body }) =>
      quote(storeId, body, body.email ? { email: body.email } : 'stranger'),
    readHomeCountry: async ({ body }) => ({
      isInEu: euCountries.has((await findTaxes(db, body.storeId)).homeCountry ?? ''),
    }),
    quoteForPage: ({ body: { storeId, ...input } }) => quoteForPage(storeId, input),
  };
}
