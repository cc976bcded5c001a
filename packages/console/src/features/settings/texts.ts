import type { SettingsWords } from '../../texts/en/settings.ts';
import { defineTexts, useTexts } from '../../texts/texts.ts';

const texts = defineTexts({
  en: () => import('../../texts/en/settings.ts'),
  de: () => import('../../texts/de/settings.ts'),
});

export const useSettingsTexts = (): SettingsWords => useTexts(texts);
