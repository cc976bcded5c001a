import type { OrderWords } from '../../texts/en/orders.ts';
import { defineTexts, useTexts } from '../../texts/texts.ts';

const texts = defineTexts({
  en: () => import('../../texts/en/orders.ts'),
  de: () => import('../../texts/de/orders.ts'),
});

export const useOrderTexts = (): OrderWords => useTexts(texts);
