import type { AccountWords } from '../../texts/en/account.ts';
import { defineTexts, useTexts } from '../../texts/texts.ts';

const texts = defineTexts({
  en: () => import('../../texts/en/account.ts'),
  de: () => import('../../texts/de/account.ts'),
});

export const useAccountTexts = (): AccountWords => useTexts(texts);
