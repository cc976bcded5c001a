import type { ApiKeyWords } from '../../texts/en/api-keys.ts';
import { defineTexts, useTexts } from '../../texts/texts.ts';

const texts = defineTexts({
  en: () => import('../../texts/en/api-keys.ts'),
  de: () => import('../../texts/de/api-keys.ts'),
});

export const useApiKeyTexts = (): ApiKeyWords => useTexts(texts);
