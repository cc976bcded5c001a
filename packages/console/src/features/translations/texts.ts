import type { TranslationWords } from '../../texts/en/translations.ts';
import { defineTexts, useTexts } from '../../texts/texts.ts';

const texts = defineTexts({
  en: () => import('../../texts/en/translations.ts'),
  de: () => import('../../texts/de/translations.ts'),
});

export const useTranslationTexts = (): TranslationWords => useTexts(texts);
