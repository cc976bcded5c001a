import { type Handlers, networkOf, takeOrRefuse } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { placeOrder, settleCheckouts } from './checkouts.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  placeOrder: {
    // Nobody signs in to place an order: it is the address that is limited, whatever it asks for.
    guard: ({ address }) =>
      takeOrRefuse(context.cache, `checkout:${networkOf(address)}`, context.config.checkoutLimit),
    async handle({ params, headers, body, once }) {
      const key = headers['idempotency-key'];
      if (typeof key !== 'string' || key.length < 1 || key.length > 255) {
        throw errors.idempotency_key_required();
      }
      return placeOrder(context, params.storeId, { by: 'shopper', key, once }, body);
    },
  },
  async placeOrderForCustomer({ storeId, headers, body, once }) {
    await once.begin(body);
    const key = headers['idempotency-key'] ?? null;
    return placeOrder(context, storeId, { by: 'member', key: key && String(key), once }, body);
  },
  settleCheckouts: async ({ body }) => ({ placed: await settleCheckouts(context.transaction, body.orders) }),
});
