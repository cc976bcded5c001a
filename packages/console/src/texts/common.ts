import { isWaybillError } from '@waybill/sdk';
import type { CommonWords } from './en/common.ts';
import { defineTexts, useTexts } from './texts.ts';

export const common = defineTexts<CommonWords>({
  en: () => import('./en/common.ts'),
  de: () => import('./de/common.ts'),
});

/** What every screen may say, in the present language. */
export const useCommon = (): CommonWords => useTexts(common);

/** What went wrong, for people: by its code, or as the server says it. */
export function explain(error: unknown, { errors, crashed }: CommonWords): string {
  if (!isWaybillError(error)) return crashed;
  return errors[error.code] ?? error.message;
}
