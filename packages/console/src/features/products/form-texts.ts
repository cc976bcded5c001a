import type { ProductFormWords } from '../../texts/en/product-form.ts';
import { defineTexts, useTexts } from '../../texts/texts.ts';

const texts = defineTexts({
  en: () => import('../../texts/en/product-form.ts'),
  de: () => import('../../texts/de/product-form.ts'),
});

export const useProductFormTexts = (): ProductFormWords => useTexts(texts);
