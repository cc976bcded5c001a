import type { DesignWords } from '../../texts/en/design.ts';
import { defineTexts, useTexts } from '../../texts/texts.ts';

const texts = defineTexts({
  en: () => import('../../texts/en/design.ts'),
  de: () => import('../../texts/de/design.ts'),
});

export const useDesignTexts = (): DesignWords => useTexts(texts);
