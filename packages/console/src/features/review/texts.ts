import type { ReviewWords } from '../../texts/en/review.ts';
import { defineTexts, useTexts } from '../../texts/texts.ts';

const texts = defineTexts({
  en: () => import('../../texts/en/review.ts'),
  de: () => import('../../texts/de/review.ts'),
});

export const useReviewTexts = (): ReviewWords => useTexts(texts);
