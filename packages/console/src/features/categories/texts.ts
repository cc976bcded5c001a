import type { CategoryWords } from '../../texts/en/categories.ts';
import { defineTexts, useTexts } from '../../texts/texts.ts';

const texts = defineTexts({
  en: () => import('../../texts/en/categories.ts'),
  de: () => import('../../texts/de/categories.ts'),
});

export const useCategoryTexts = (): CategoryWords => useTexts(texts);
