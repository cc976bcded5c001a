import type { CanvasWords } from '../../texts/en/editor-canvas.ts';
import { defineTexts, useTexts } from '../../texts/texts.ts';

const texts = defineTexts({
  en: () => import('../../texts/en/editor-canvas.ts'),
  de: () => import('../../texts/de/editor-canvas.ts'),
});

export const useCanvasTexts = (): CanvasWords => useTexts(texts);
