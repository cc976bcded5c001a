import type { StoreWords } from '../../texts/en/stores.ts';
import { defineTexts, useTexts } from '../../texts/texts.ts';

const texts = defineTexts({
  en: () => import('../../texts/en/stores.ts'),
  de: () => import('../../texts/de/stores.ts'),
});

export const useStoreTexts = (): StoreWords => useTexts(texts);
