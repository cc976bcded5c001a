import type { PaymentFailure } from '@waybill/contracts';
import Stripe from 'stripe';
import { ProviderRefusal, ProviderTimeout } from './port.ts';

/** Whether an error leaves open what Stripe has done: https://docs.stripe.com/error-low-level */
export function isSilence(error: unknown): boolean {
  const { StripeConnectionError, StripeAPIError, StripeRateLimitError, StripeIdempotencyError } =
    Stripe.errors;
  return (
    error instanceof StripeConnectionError ||
    error instanceof StripeAPIError ||
    error instanceof StripeRateLimitError ||
    error instanceof StripeIdempotencyError ||
    (error instanceof Stripe.errors.StripeError && (error.statusCode ?? 500) >= 500)
  );
}

/** Converts an error of Stripe's to `ProviderTimeout` or `ProviderRefusal`. */
export function toProviderError(error: unknown): Error {
  if (isSilence(error)) return new ProviderTimeout((error as Error).message);
  return error instanceof Stripe.errors.StripeError
    ? new ProviderRefusal(describeRefusal(error))
    : (error as Error);
}

/** Returns Stripe's reason for a refusal. @throws ProviderTimeout if Stripe has not answered */
export function describeRefusal(error: unknown): PaymentFailure {
  if (!(error instanceof Stripe.errors.StripeError) || isSilence(error)) throw toProviderError(error);
  return { code: error.decline_code ?? error.code ?? error.type, message: error.message.slice(0, 500) };
}

/** Describes a failed refund: https://docs.stripe.com/refunds#failed-refunds */
export function describeRefundFailure({ failure_reason: reason, status }: Stripe.Refund): PaymentFailure {
  const code = reason ?? status ?? 'failed';
  return { code, message: `Stripe could not refund: ${code}.` };
}
