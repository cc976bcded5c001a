import type { PageStartWords } from '../../texts/en/page-starts.ts';
import type { PageWords } from '../../texts/en/pages.ts';
import { defineTexts, useTexts } from '../../texts/texts.ts';

const texts = defineTexts({
  en: () => import('../../texts/en/pages.ts'),
  de: () => import('../../texts/de/pages.ts'),
});

export const usePageTexts = (): PageWords => useTexts(texts);

const startTexts = defineTexts({
  en: () => import('../../texts/en/page-starts.ts'),
  de: () => import('../../texts/de/page-starts.ts'),
});

export const usePageStartTexts = (): PageStartWords => useTexts(startTexts);
