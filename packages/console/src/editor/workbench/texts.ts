import type { EditorWords } from '../../texts/en/editor.ts';
import { defineTexts, type Language, languages, useTexts } from '../../texts/texts.ts';

const texts = defineTexts({
  en: () => import('../../texts/en/editor.ts'),
  de: () => import('../../texts/de/editor.ts'),
});

export const useEditorTexts = (): EditorWords => useTexts(texts);

/** Returns the editor's texts in each language in which a page may have been made. */
export const readAllEditorTexts = (): Promise<EditorWords[]> =>
  Promise.all(Object.keys(languages).map((language) => texts.read(language as Language)));
