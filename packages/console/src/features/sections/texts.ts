import type { SectionWords } from '../../texts/en/sections.ts';
import { defineTexts, useTexts } from '../../texts/texts.ts';

const texts = defineTexts({
  en: () => import('../../texts/en/sections.ts'),
  de: () => import('../../texts/de/sections.ts'),
});

export const useSectionTexts = (): SectionWords => useTexts(texts);
