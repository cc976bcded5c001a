import type { MediaWords } from '../../texts/en/media.ts';
import { defineTexts, useTexts } from '../../texts/texts.ts';

const texts = defineTexts({
  en: () => import('../../texts/en/media.ts'),
  de: () => import('../../texts/de/media.ts'),
});

export const useMediaTexts = (): MediaWords => useTexts(texts);
