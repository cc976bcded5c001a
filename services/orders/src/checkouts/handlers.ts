import { type Handlers, networkOf, rawJson, takeOrRefuse } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { placeOrder, settleCheckouts } from './checkouts.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  placeOrder: {
    // Nobody signs in to place an order: it is the address that is limited, whatever it asks for.
    guard: ({ address }) =>
      takeOrRefuse(context.cache, `checkout:${networkOf(address)}`, context.config.checkoutLimit),
    async handle({ params, headers, body }) {
      const key = headers['idempotency-key'];
      if (typeof key !== 'string' || key.length < 1 || key.length > 255) {
        throw errors.idempotency_key_required();
      }
      return rawJson(await placeOrder(context, params.storeId, { by: 'shopper', key }, body));
    },
  },
  async placeOrderForCustomer({ storeId, headers, body }) {
    const key = headers['idempotency-key'] ?? null;
    if (key !== null && (typeof key !== 'string' || !/^[!-~]{1,255}$/.test(key))) {
      throw errors.invalid_idempotency_key();
    }
    return rawJson(await placeOrder(context, storeId, { by: 'member', key }, body));
  },
  settleCheckouts: async ({ body }) => ({ placed: await settleCheckouts(context.transaction, body.orders) }),
});
