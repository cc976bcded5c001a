import type { CustomFieldWords } from '../../texts/en/custom-fields.ts';
import { defineTexts, useTexts } from '../../texts/texts.ts';

const texts = defineTexts({
  en: () => import('../../texts/en/custom-fields.ts'),
  de: () => import('../../texts/de/custom-fields.ts'),
});

export const useCustomFieldTexts = (): CustomFieldWords => useTexts(texts);
