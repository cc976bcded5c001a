import type { AppsWords } from '../../texts/en/apps.ts';
import { defineTexts, useTexts } from '../../texts/texts.ts';

const texts = defineTexts({
  en: () => import('../../texts/en/apps.ts'),
  de: () => import('../../texts/de/apps.ts'),
});

export const useAppsTexts = (): AppsWords => useTexts(texts);
