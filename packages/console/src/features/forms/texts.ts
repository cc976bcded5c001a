import type { FormWords } from '../../texts/en/forms.ts';
import { defineTexts, useTexts } from '../../texts/texts.ts';

const texts = defineTexts({
  en: () => import('../../texts/en/forms.ts'),
  de: () => import('../../texts/de/forms.ts'),
});

export const useFormTexts = (): FormWords => useTexts(texts);
