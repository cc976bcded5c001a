import Stripe from 'stripe';
import { errors } from '../errors.ts';

/** The version of Stripe's API whose shapes this service reads. */
const apiVersion = '2025-03-31.basil';

/** How long one answer of Stripe may take: `decisions.md 22.2` has a caller wait for ten seconds at most. */
const timeoutMs = 8_000;

/** The events that `webhookUrl` is registered for. */
export const stripeEventTypes = [
  'checkout.session.completed',
  'checkout.session.expired',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'payment_intent.amount_capturable_updated',
  'payment_intent.succeeded',
  'payment_intent.payment_failed',
  'payment_intent.canceled',
  'refund.created',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.closed',
] as const satisfies Stripe.WebhookEndpointCreateParams.EnabledEvent[];

/** A client of Stripe's API at `url` with a merchant's key. */
export function stripeClient(url: URL, secretKey: string): Stripe {
  const isHttp = url.protocol === 'http:';
  return new Stripe(secretKey, {
    apiVersion: apiVersion as Stripe.LatestApiVersion,
    host: url.hostname,
    port: url.port || (isHttp ? '80' : '443'),
    protocol: isHttp ? 'http' : 'https',
    timeout: timeoutMs,
    maxNetworkRetries: 1,
    telemetry: false,
  });
}

/** Whether a key of Stripe's takes no real money. */
export const isTestKey = (secretKey: string): boolean => /^(sk|rk)_test_/.test(secretKey);

/** A registered address for events. */
export interface RegisteredWebhook {
  id: string;
  secret: string;
}

/**
 * Tries a key, and registers the address for events where the key may. Null: Stripe refuses the address, or the key may
 * not register it; look-ups then do the work of events.
 * @throws invalid_credentials when Stripe refuses the key, resource_unavailable when Stripe is out of reach
 */
export async function connectStripe(
  url: URL,
  secretKey: string,
  webhookUrl: string,
): Promise<RegisteredWebhook | null> {
  if (!/^(sk|rk)_/.test(secretKey)) {
    throw errors.invalid_credentials({
      message: 'This is no secret key: a key that begins with sk_ or rk_ is needed.',
      details: [{ pointer: '/secretKey', message: 'must be a secret or a restricted key of Stripe' }],
    });
  }
  const stripe = stripeClient(url, secretKey);
  try {
    await stripe.checkout.sessions.list({ limit: 1 });
  } catch (error) {
    throw credentialsError(error);
  }
  try {
    const { id, secret } = await stripe.webhookEndpoints.create({
      url: webhookUrl,
      enabled_events: [...stripeEventTypes],
      api_version: apiVersion,
      description: 'Waybill',
    });
    return secret ? { id, secret } : null;
  } catch (error) {
    if (isRefusal(error)) return null;
    throw credentialsError(error);
  }
}

/** Takes back a registered address; a provider that does not answer keeps it, which does no harm. */
export async function disconnectStripe(url: URL, secretKey: string, webhookId: string): Promise<void> {
  await stripeClient(url, secretKey).webhookEndpoints.del(webhookId);
}

/** Stripe answered, and did not want what was asked. */
const isRefusal = (error: unknown): error is Stripe.errors.StripeError =>
  error instanceof Stripe.errors.StripeInvalidRequestError ||
  error instanceof Stripe.errors.StripePermissionError;

function credentialsError(error: unknown): Error {
  if (error instanceof Stripe.errors.StripeAuthenticationError || isRefusal(error)) {
    // Stripe's words may hold a part of the key, in its own masked form at most.
    return errors.invalid_credentials({
      message: `Stripe does not accept this key: ${error.message.slice(0, 300)}`,
      details: [{ pointer: '/secretKey', message: 'is not accepted by Stripe' }],
    });
  }
  if (error instanceof Stripe.errors.StripeError) {
    return errors.resource_unavailable({ message: 'Stripe does not answer right now; try again later.' });
  }
  return error as Error;
}
