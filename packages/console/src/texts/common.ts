import { isWaybillError, type Problem } from '@waybill/sdk';
import type { CommonWords } from './en/common.ts';
import { defineTexts, useTexts } from './texts.ts';

export const common = defineTexts({
  en: () => import('./en/common.ts'),
  de: () => import('./de/common.ts'),
});

/** Returns the texts that all screens share. */
export const useCommon = (): CommonWords => useTexts(common);

/** Explains an error by the text for its code, or by the server's message. */
export function explain(error: unknown, { errors, crashed }: CommonWords): string {
  if (!isWaybillError(error)) return crashed;
  return errors[error.code] ?? error.message;
}

/** Lists what a write removed from rich text, according to the warnings of its answer. */
export function explainRemovals(answer: unknown, { removed }: CommonWords): string[] {
  const { warnings } = (answer ?? {}) as { warnings?: unknown };
  if (!Array.isArray(warnings)) return [];
  const messages: Readonly<Record<string, string>> = removed;
  return warnings.flatMap(({ code }: { code: string }) => messages[code] ?? []);
}

/** Fields with a required format, by name: the error code whose text explains the format. */
const forms: Readonly<Record<string, string>> = { email: 'invalid_email', slug: 'invalid_slug' };

/** Explains a field's problem by the text for its format, or by the server's message. */
export function explainProblem({ pointer, message }: Problem, { errors }: CommonWords): string {
  const form = forms[pointer.slice(pointer.lastIndexOf('/') + 1)];
  return (form && errors[form]) ?? message;
}
