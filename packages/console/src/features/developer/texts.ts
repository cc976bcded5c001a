import type { DeveloperWords } from '../../texts/en/developer.ts';
import { defineTexts, useTexts } from '../../texts/texts.ts';

const texts = defineTexts({
  en: () => import('../../texts/en/developer.ts'),
  de: () => import('../../texts/de/developer.ts'),
});

export const useDeveloperTexts = (): DeveloperWords => useTexts(texts);
