import { isWaybillError, type Problem } from '@waybill/sdk';
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

/** What was removed from rich text by the write that an answer is of, for people. */
export function explainRemovals(answer: unknown, { removed }: CommonWords): string[] {
  const { warnings } = (answer ?? {}) as { warnings?: unknown };
  if (!Array.isArray(warnings)) return [];
  const messages: Readonly<Record<string, string>> = removed;
  return warnings.flatMap(({ code }: { code: string }) => messages[code] ?? []);
}

/** Fields that are typed by people and have to be of some form: what is said of one that is not, whatever is wrong with it. */
const forms: Readonly<Record<string, string>> = { email: 'invalid_email', slug: 'invalid_slug' };

/** What is wrong with a field, for people: what it has to look like, or as the server says it. */
export function explainProblem({ pointer, message }: Problem, { errors }: CommonWords): string {
  const form = forms[pointer.slice(pointer.lastIndexOf('/') + 1)];
  return (form && errors[form]) ?? message;
}
