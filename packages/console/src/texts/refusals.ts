import type { Problem, WaybillError } from '@waybill/sdk';
import type { CommonWords } from './en/common.ts';
import type { RefusalWords } from './en/refusals.ts';
import { findSentence, type Sentences } from './sentences.ts';
import { apiLanguage, defineTexts, language } from './texts.ts';

const texts = defineTexts({
  en: () => import('./en/refusals.ts'),
  de: () => import('./de/refusals.ts'),
});

/** A refused write in the chosen language. */
export interface Refusal {
  readonly message: string;
  /** The problems of its fields. */
  readonly problems: readonly Problem[];
  /** The same problems, each with the name of its field, for fields that the form does not show. */
  readonly namedProblems: readonly Problem[];
}

/** Loads the texts for what the API writes when it refuses something, in the chosen language. */
export const loadExplainer = async (): Promise<Explainer> => new Explainer(await texts.read(language.read()));

/** Explains what the API writes when it refuses something. */
class Explainer {
  readonly #words: RefusalWords;

  constructor(words: RefusalWords) {
    this.#words = words;
  }

  /** Explains an error by its message, if that says more than `codeText`, the text for its code. */
  explainRefusal(
    { message, problems }: WaybillError,
    { codeText, errors }: { codeText: string; errors: CommonWords['errors'] },
  ): Refusal {
    const explained = problems.map((problem) => ({
      ...problem,
      message: errors[findFormat(problem) ?? ''] ?? this.#explainProblem(problem),
    }));
    return {
      message: findSentence(this.#words.messages as Sentences, message) ?? codeText,
      problems: explained,
      namedProblems: explained.map((problem) => ({ ...problem, message: this.#nameField(problem) })),
    };
  }

  explainProblems<Found extends Problem>(problems: readonly Found[]): Found[] {
    return problems.map((problem) => ({ ...problem, message: this.#explainProblem(problem) }));
  }

  #explainProblem({ message }: Problem): string {
    const { meant, problems, invalidValue } = this.#words;
    const [problem = '', hint] = message.split(' (did you mean ', 2);
    const known = findSentence(problems as Sentences, problem);
    if (known === null) return language.read() === apiLanguage ? message : invalidValue;
    return hint === undefined ? known : meant({ problem: known, name: hint.slice(0, -'?)'.length) });
  }

  /** Returns the problem of a field that cannot be seen, so that the text has to name it. */
  #nameField({ pointer, message }: Problem): string {
    const field = this.#describePlace(pointer);
    return field === null ? message : this.#words.atField({ field, problem: message });
  }

  /**
   * Returns the name of the place that a pointer leads to, such as `Variants 2 › Price`; null for the whole body. A name
   * that is not of the API was given by a person, as that of a header or the key of a custom field.
   */
  #describePlace(pointer: string): string | null {
    const { fieldNames, inList, within } = this.#words;
    const names: Readonly<Record<string, string>> = fieldNames;
    let place: string | null = null;
    for (const token of pointer.split('/').slice(1)) {
      if (/^\d+$/.test(token) && place !== null) place = inList({ list: place, position: Number(token) + 1 });
      else {
        const name = Object.hasOwn(names, token) ? names[token]! : unescapePointer(token);
        place = place === null ? name : within({ outer: place, inner: name });
      }
    }
    return place;
  }
}

/** Returns the name that a token of a JSON pointer stands for (RFC 6901). */
const unescapePointer = (token: string): string => token.replaceAll('~1', '/').replaceAll('~0', '~');

/** Fields with a required format, by name: the error code whose text explains the format. */
const formats: Readonly<Record<string, string>> = { email: 'invalid_email', slug: 'invalid_slug' };

/** Returns the error code for the format of a problem's field. */
const findFormat = ({ pointer }: Problem): string | undefined =>
  formats[pointer.slice(pointer.lastIndexOf('/') + 1)];
