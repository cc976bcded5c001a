import type { EditorWords } from '../../texts/en/editor.ts';
import { defineTexts, useTexts } from '../../texts/texts.ts';

const texts = defineTexts({
  en: () => import('../../texts/en/editor.ts'),
  de: () => import('../../texts/de/editor.ts'),
});

export const useEditorTexts = (): EditorWords => useTexts(texts);
