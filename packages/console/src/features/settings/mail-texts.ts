import type { MailWords } from '../../texts/en/mails.ts';
import { defineTexts, useTexts } from '../../texts/texts.ts';

const texts = defineTexts({
  en: () => import('../../texts/en/mails.ts'),
  de: () => import('../../texts/de/mails.ts'),
});

export const useMailTexts = (): MailWords => useTexts(texts);
