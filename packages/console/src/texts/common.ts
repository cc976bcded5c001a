import { isWaybillError, type Problem } from '@waybill/sdk';
import type { CommonWords } from './en/common.ts';
import type { Refusal } from './refusals.ts';
import { apiLanguage, defineTexts, language, useTexts } from './texts.ts';

export const common = defineTexts({
  en: () => import('./en/common.ts'),
  de: () => import('./de/common.ts'),
});

/** Returns the texts that all screens share. */
export const useCommon = (): CommonWords => useTexts(common);

/** Explains an error by the text for its code; without one, by the API's message if that is in the chosen language. */
export function explain(error: unknown, { errors, crashed, refused }: CommonWords): string {
  if (!isWaybillError(error)) return crashed;
  const { code, message } = error;
  return errors[code] ?? (language.read() === apiLanguage ? message : refused({ code }));
}

/**
 * Explains an error as `explain` does, or better: by the message and the problems that the API wrote. The texts for
 * those are loaded when the first write is refused.
 */
export async function explainRefusal(error: unknown, words: CommonWords): Promise<Refusal> {
  const codeText = explain(error, words);
  if (!isWaybillError(error)) return { message: codeText, problems: [], namedProblems: [] };
  const { status, problems } = error;
  const explainer = status > 0 && (await loadExplainer());
  return explainer
    ? explainer.explainRefusal(error, { codeText, errors: words.errors })
    : { message: codeText, problems, namedProblems: problems };
}

/** Explains the problems of a document. */
export async function explainProblems<Found extends Problem>(
  problems: readonly Found[],
): Promise<readonly Found[]> {
  const explainer = problems.length > 0 && (await loadExplainer());
  return explainer ? explainer.explainProblems(problems) : problems;
}

/** Loads the explainer of what the API writes; null if it cannot be loaded. */
const loadExplainer = () =>
  import('./refusals.ts').then((module) => module.loadExplainer()).catch(() => null);

/** Lists what a write removed from rich text, according to the warnings of its answer. */
export function explainRemovals(answer: unknown, { removed }: CommonWords): string[] {
  const { warnings } = (answer ?? {}) as { warnings?: unknown };
  if (!Array.isArray(warnings)) return [];
  const messages: Readonly<Record<string, string>> = removed;
  return warnings.flatMap(({ code }: { code: string }) => messages[code] ?? []);
}
