import type { DiscountWords } from '../../texts/en/discounts.ts';
import { defineTexts, useTexts } from '../../texts/texts.ts';

const texts = defineTexts({
  en: () => import('../../texts/en/discounts.ts'),
  de: () => import('../../texts/de/discounts.ts'),
});

export const useDiscountTexts = (): DiscountWords => useTexts(texts);
