import { type Handlers, networkOf, rateLimitHeaders, rawJson } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import { placeOrder, settleCheckouts } from './checkouts.ts';
import type { routes } from './routes.ts';

export const handlers = (context: Context): Handlers<typeof routes> => ({
  placeOrder: {
    guard: ({ address }) => limitAddress(context, address),
    async handle({ params, headers, body }) {
      const key = headers['idempotency-key'];
      if (typeof key !== 'string' || key.length < 1 || key.length > 255) {
        throw errors.idempotency_key_required();
      }
      return rawJson(await placeOrder(context, params.storeId, key, body));
    },
  },
  settleCheckouts: async ({ body }) => ({ placed: await settleCheckouts(context.transaction, body.orders) }),
});

/** Nobody signs in to place an order: it is the address that is limited, whatever it asks for. */
async function limitAddress({ cache, config }: Context, address: string): Promise<void> {
  const rate = await cache.take(`checkout:${networkOf(address)}`, config.checkoutLimit);
  if (rate.allowed) return;
  const headers = rateLimitHeaders(config.checkoutLimit, rate);
  throw errors.rate_limited({ headers: { ...headers, 'retry-after': String(rate.retryAfterSeconds) } });
}
