import type { SampleTexts } from '../../texts/en/editor-samples.ts';
import { defineTexts, type Language, language, languages, useTexts } from '../../texts/texts.ts';

const texts = defineTexts({
  en: () => import('../../texts/en/editor-samples.ts'),
  de: () => import('../../texts/de/editor-samples.ts'),
});

/** Returns the texts of new elements; suspends until they are loaded. */
export const useSampleTexts = (): SampleTexts => useTexts(texts);

/** Reads the texts of new elements in the chosen language. */
export const readSampleTexts = (): Promise<SampleTexts> => texts.read(language.read());

/** Reads the texts of new elements in each language in which a page may have been made. */
export const readAllSampleTexts = (): Promise<SampleTexts[]> =>
  Promise.all(Object.keys(languages).map((each) => texts.read(each as Language)));
