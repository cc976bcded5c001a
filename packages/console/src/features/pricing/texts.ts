import type { PricingWords } from '../../texts/en/pricing.ts';
import { defineTexts, useTexts } from '../../texts/texts.ts';

const texts = defineTexts({
  en: () => import('../../texts/en/pricing.ts'),
  de: () => import('../../texts/de/pricing.ts'),
});

export const usePricingTexts = (): PricingWords => useTexts(texts);
