import type { SectionWords } from '../../texts/en/editor-section.ts';
import { defineTexts, language, useTexts } from '../../texts/texts.ts';

const texts = defineTexts({
  en: () => import('../../texts/en/editor-section.ts'),
  de: () => import('../../texts/de/editor-section.ts'),
});

/** Returns the texts about a section that is edited in place; suspends until they are loaded. */
export const useSectionTexts = (): SectionWords => useTexts(texts);

/** Reads the texts about a section that is edited in place, in the chosen language. */
export const readSectionTexts = (): Promise<SectionWords> => texts.read(language.read());
