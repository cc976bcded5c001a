import { ApiError, type CheckoutOutcome } from '@waybill/contracts';
import { enforceRateLimit, getNetwork, type Handlers, type RouteRequest } from '@waybill/kernel';
import type { Context } from '../config.ts';
import { errors } from '../errors.ts';
import type { CheckoutPayment } from '../payments/schemas.ts';
import type { Tables } from '../tables.ts';
import { CheckoutNotStarted, createPlaceOrder } from './checkouts.ts';
import type { routes } from './routes.ts';
import { resolveCheckouts } from './upkeep.ts';

/** Limits requests per address, because placing an order needs no login. */
const limitAddress = ({ cache, config }: Context, address: string): Promise<unknown> =>
  enforceRateLimit(cache, `checkout:${getNetwork(address)}`, config.checkoutLimit);

/** Returns the key of a shopper's order, which is required before the body is read: `decisions.md 1.6`. */
function readIdempotencyKey({ 'idempotency-key': key }: RouteRequest['headers']): string {
  if (typeof key === 'string' && key.length >= 1 && key.length <= 255) return key;
  throw errors.idempotency_key_required();
}

/** Converts a refusal to the outcome for the store's page, and rethrows other errors. */
function describeOutcome(error: unknown): CheckoutOutcome {
  if (error instanceof CheckoutNotStarted) return { outcome: 'not_begun' };
  if (!(error instanceof ApiError) || error.status >= 500) throw error;
  const { code, details = [], fields } = error;
  const {
    variants = [],
    quote,
    rejectedCodes,
  } = (fields ?? {}) as Partial<Extract<CheckoutOutcome, { outcome: 'refused' }>>;
  return {
    outcome: 'refused',
    code,
    details: [...details],
    variants,
    ...(quote && { quote }),
    ...(rejectedCodes && { rejectedCodes }),
  };
}

export function handlers(context: Context): Handlers<typeof routes, Tables> {
  const placeOrder = createPlaceOrder(context);
  return {
    placeOrder: {
      async guard({ address, headers }) {
        await limitAddress(context, address);
        readIdempotencyKey(headers);
      },
      handle: ({ params, headers, body, idempotentWrite }) =>
        placeOrder(
          params.storeId,
          { by: 'shopper', key: readIdempotencyKey(headers), idempotentWrite },
          body,
        ),
    },
    async placeOrderForCustomer({ storeId, principal: { userId }, headers, body, idempotentWrite }) {
      await idempotentWrite.begin(body);
      const key = headers['idempotency-key'] ?? null;
      return placeOrder(storeId, { by: 'member', userId, key: key && String(key), idempotentWrite }, body);
    },
    async placeFromPage({
      body: { storeId, key, address, checkout, onlyBegun, pageLocale },
      idempotentWrite,
    }) {
      try {
        await limitAddress(context, address);
        const caller = {
          by: 'shopper',
          key,
          onlyBegun,
          isFromPage: true,
          pageLocale,
          idempotentWrite,
        } as const;
        const { body } = await placeOrder(storeId, caller, checkout);
        const { token, payment } = JSON.parse(String(body)) as {
          token: string;
          payment: CheckoutPayment | null;
        };
        const redirectUrl = payment?.redirectUrl ?? null;
        return { outcome: 'placed', token, redirectUrl } satisfies CheckoutOutcome;
      } catch (error) {
        return describeOutcome(error);
      }
    },
    settleCheckouts: {
      write: async ({ body }, { trx }) => ({ placed: await resolveCheckouts(trx, body.orders) }),
    },
  };
}
