import type { SignInWords } from './en/sign-in.ts';
import { defineTexts, useTexts } from './texts.ts';

const texts = defineTexts({
  en: () => import('./en/sign-in.ts'),
  de: () => import('./de/sign-in.ts'),
});

export const useSignInTexts = (): SignInWords => useTexts(texts);
