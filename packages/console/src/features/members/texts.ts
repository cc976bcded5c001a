import type { MemberWords } from '../../texts/en/members.ts';
import { defineTexts, useTexts } from '../../texts/texts.ts';

const texts = defineTexts({
  en: () => import('../../texts/en/members.ts'),
  de: () => import('../../texts/de/members.ts'),
});

export const useMemberTexts = (): MemberWords => useTexts(texts);
