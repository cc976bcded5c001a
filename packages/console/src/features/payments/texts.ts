import type { PaymentWords } from '../../texts/en/payments.ts';
import { defineTexts, useTexts } from '../../texts/texts.ts';

const texts = defineTexts({
  en: () => import('../../texts/en/payments.ts'),
  de: () => import('../../texts/de/payments.ts'),
});

export const usePaymentTexts = (): PaymentWords => useTexts(texts);
