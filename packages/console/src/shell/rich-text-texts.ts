import type { RichTextWords } from '../texts/en/rich-text.ts';
import { defineTexts } from '../texts/texts.ts';

export const richTextTexts = defineTexts<RichTextWords>({
  en: () => import('../texts/en/rich-text.ts'),
  de: () => import('../texts/de/rich-text.ts'),
});
