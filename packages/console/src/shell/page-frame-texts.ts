import { defineTexts } from '../texts/texts.ts';

export const frameTexts = defineTexts({
  en: () => import('../texts/en/page-frame.ts'),
  de: () => import('../texts/de/page-frame.ts'),
});
