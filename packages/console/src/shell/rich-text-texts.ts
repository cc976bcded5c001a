import { defineTexts } from '../texts/texts.ts';

export const richTextTexts = defineTexts({
  en: () => import('../texts/en/rich-text.ts'),
  de: () => import('../texts/de/rich-text.ts'),
});
