import type { CustomerWords } from '../../texts/en/customers.ts';
import { defineTexts, useTexts } from '../../texts/texts.ts';

const texts = defineTexts({
  en: () => import('../../texts/en/customers.ts'),
  de: () => import('../../texts/de/customers.ts'),
});

export const useCustomerTexts = (): CustomerWords => useTexts(texts);
