import type { EventWords } from '../../texts/en/events.ts';
import { defineTexts, useTexts } from '../../texts/texts.ts';

const texts = defineTexts({
  en: () => import('../../texts/en/events.ts'),
  de: () => import('../../texts/de/events.ts'),
});

export const useEventTexts = (): EventWords => useTexts(texts);
