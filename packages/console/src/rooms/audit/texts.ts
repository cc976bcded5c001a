import type { AuditWords } from '../../texts/en/audit.ts';
import { defineTexts, useTexts } from '../../texts/texts.ts';

const texts = defineTexts<AuditWords>({
  en: () => import('../../texts/en/audit.ts'),
  de: () => import('../../texts/de/audit.ts'),
});

export const useAuditTexts = (): AuditWords => useTexts(texts);
