import Stripe from 'stripe';
import { errors } from '../errors.ts';

/** The version of Stripe's API whose schemas this service reads. */
const apiVersion = '2025-03-31.basil';

/** Time limit of one call to Stripe. `decisions.md 22.2` lets a caller wait for at most ten seconds. */
const timeoutMs = 8_000;

/** The events for which `webhookUrl` is registered. */
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

/** Creates a client of Stripe's API at `url` with a merchant's key. */
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

/** Whether a Stripe key accepts no real money. */
export const isTestKey = (secretKey: string): boolean => /^(sk|rk)_test_/.test(secretKey);

/** A registered address for events. */
export interface RegisteredWebhook {
  id: string;
  secret: string;
}

/**
 * Tries a key, and registers the address for events. Returns null if Stripe refuses the address or the key may not
 * register it; look-ups then replace events.
 * @throws invalid_credentials if Stripe refuses the key, resource_unavailable if Stripe is unreachable
 */
export async function connectStripe(
  url: URL,
  secretKey: string,
  webhookUrl: string,
): Promise<RegisteredWebhook | null> {
  if (!/^(sk|rk)_/.test(secretKey)) {
    throw errors.invalid_credentials({
      message: 'This is not a secret key: use one that begins with sk_ or rk_.',
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

/** Unregisters an address. If the provider does not answer, the address stays registered, which does no harm. */
export async function disconnectStripe(url: URL, secretKey: string, webhookId: string): Promise<void> {
  await stripeClient(url, secretKey).webhookEndpoints.del(webhookId);
}

/** Whether Stripe answered with a refusal. */
const isRefusal = (error: unknown): error is Stripe.errors.StripeError =>
  error instanceof Stripe.errors.StripeInvalidRequestError ||
  error instanceof Stripe.errors.StripePermissionError;

function credentialsError(error: unknown): Error {
  if (error instanceof Stripe.errors.StripeAuthenticationError || isRefusal(error)) {
    // Stripe's message contains at most a masked part of the key.
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
