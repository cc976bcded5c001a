import { enforceRateLimit, getNetwork, type Handlers, type Lock } from '@waybill/kernel';
import { euCountries } from '@waybill/pricing';
import type { Context } from '../config.ts';
import type { Tables } from '../tables.ts';
import { lockRules } from './queries.ts';
import { createQuoting } from './quotes.ts';
import type { routes } from './routes.ts';
import { applyTaxPreset, changeShipping, changeTaxes, findTaxes, findZones } from './settings.ts';

export const lock =
  (): Lock =>
  ({ storeId }, { trx }) =>
    lockRules(trx, storeId);

export function handlers(context: Context): Handlers<typeof routes, Tables> {
  const { db: pool, cache, config } = context;
  const { quote, quoteForPage } = createQuoting(context);
  return {
    getTaxes: async ({ storeId, db }) => ({ taxes: await findTaxes(db, storeId) }),
    replaceTaxes: {
      write: async ({ storeId, body }, write) => ({ taxes: await changeTaxes(write, storeId, body) }),
    },
    applyTaxPreset: {
      write: async ({ storeId, body }, write) => ({
        taxes: await applyTaxPreset(write, storeId, body.preset),
      }),
    },
    getShipping: async ({ storeId, db }) => ({ shipping: { zones: await findZones(db, storeId) } }),
    replaceShipping: {
      write: async ({ storeId, body }, write) => ({
        shipping: { zones: await changeShipping(write, storeId, body) },
      }),
    },
    quote: {
      // Limits requests per address, because asking for a price needs no login.
      guard: ({ address }) => enforceRateLimit(cache, `quote:${getNetwork(address)}`, config.checkoutLimit),
      handle: ({ params, body }) => quote(params.storeId, body, 'stranger'),
    },
    quoteForCustomer: ({ storeId, body }) =>
      quote(storeId, body, body.email ? { email: body.email } : 'stranger'),
    readHomeCountry: async ({ body }) => ({
      isInEu: euCountries.has((await findTaxes(pool, body.storeId)).homeCountry ?? ''),
    }),
    quoteForPage: ({ body: { storeId, ...input } }) => quoteForPage(storeId, input),
  };
}
