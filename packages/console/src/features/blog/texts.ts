import type { BlogWords } from '../../texts/en/blog.ts';
import { defineTexts, useTexts } from '../../texts/texts.ts';

const texts = defineTexts({
  en: () => import('../../texts/en/blog.ts'),
  de: () => import('../../texts/de/blog.ts'),
});

export const useBlogTexts = (): BlogWords => useTexts(texts);
