import type { Model } from '@waybill/sdk';
import type { PaymentStateWords } from '../texts/en/payment-states.ts';
import { defineTexts, useTexts } from '../texts/texts.ts';
import type { Tone } from '../ui/layout.tsx';

type Payment = Model<'Payment'>;

const texts = defineTexts({
  en: () => import('../texts/en/payment-states.ts'),
  de: () => import('../texts/de/payment-states.ts'),
});

/** Returns the names of payment states, ledger entries and providers. */
export const usePaymentStateTexts = (): PaymentStateWords => useTexts(texts);

export const paymentStates = [
  'pending',
  'authorized',
  'captured',
  'partially_refunded',
  'refunded',
  'voided',
  'failed',
  'disputed',
] as const satisfies readonly Payment['status'][];

export const paymentStateTones: Readonly<Record<Payment['status'], Tone>> = {
  pending: 'warn',
  authorized: 'accent',
  captured: 'good',
  partially_refunded: 'neutral',
  refunded: 'neutral',
  voided: 'neutral',
  failed: 'bad',
  disputed: 'bad',
};
