import type { Model } from '@waybill/sdk';
import type { PaymentStateWords } from '../texts/en/payment-states.ts';

/** Returns the name of the way in which a payment was made, or of its provider if the way is unknown. */
export function getWayName(
  words: PaymentStateWords,
  { method, provider }: Pick<Model<'Payment'>, 'method' | 'provider'>,
): string {
  if (method === null) return words.providers[provider];
  const known = Object.hasOwn(words.ways, method) ? words.ways[method] : undefined;
  // A provider's own name, such as `revolut_pay`.
  return known ?? method.replaceAll('_', ' ').replace(/^./, (first) => first.toUpperCase());
}
