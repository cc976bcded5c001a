import type { AfterSaleWords } from '../../texts/en/after-sale.ts';
import { defineTexts, useTexts } from '../../texts/texts.ts';

const texts = defineTexts({
  en: () => import('../../texts/en/after-sale.ts'),
  de: () => import('../../texts/de/after-sale.ts'),
});

export const useAfterSaleTexts = (): AfterSaleWords => useTexts(texts);
