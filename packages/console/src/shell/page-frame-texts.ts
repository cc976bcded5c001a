import type { PageFrameWords } from '../texts/en/page-frame.ts';
import { defineTexts } from '../texts/texts.ts';

export const frameTexts = defineTexts<PageFrameWords>({
  en: () => import('../texts/en/page-frame.ts'),
  de: () => import('../texts/de/page-frame.ts'),
});
