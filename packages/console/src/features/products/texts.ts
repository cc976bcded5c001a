import type { ProductWords } from '../../texts/en/products.ts';
import { defineTexts, useTexts } from '../../texts/texts.ts';

const texts = defineTexts({
  en: () => import('../../texts/en/products.ts'),
  de: () => import('../../texts/de/products.ts'),
});

export const useProductTexts = (): ProductWords => useTexts(texts);
