import type { QueryKey } from '@tanstack/react-query';
import { isWaybillError, type Problem } from '@waybill/sdk';
import { useRef, useState } from 'react';
import { explainRefusal, explainRemovals, useCommon } from '../texts/common.ts';
import type { Refusal } from '../texts/refusals.ts';
import { toast } from '../ui/toasts.tsx';

/** The problems of a refused body: each message by the JSON pointer of its field. */
export type Problems = Readonly<Record<string, string>>;

/** The write was refused because somebody else saved first. The user decides which of the two is kept. */
export const isPreconditionFailed = (error: unknown): boolean => isWaybillError(error, 'precondition_failed');

/** By error code: the field of an error that names none, and optionally a message that replaces the usual one. */
export type ErrorFields = Readonly<Record<string, string | readonly [pointer: string, message: string]>>;

interface Options<Input, Output> {
  /** Toast text after a success. */
  done?: string | ((output: Output) => string);
  /** Prefixes of the keys of the queries that a success changes. */
  invalidates?: readonly QueryKey[];
  /** Returns the new data of a query, if the answer holds it. That query is not read again. */
  toKnownRead?: ((output: Output) => KnownRead | null) | undefined;
  onDone?(output: Output, input: Input): void;
  /** True for a failure that the screen shows by itself, without a toast. */
  handles?: ((error: unknown) => boolean) | undefined;
  fields?: ErrorFields | undefined;
}

/**
 * A write that the user starts. A toast reports its success or failure, problems go to the fields of the form, and the
 * queries that show the changed data are read again.
 */
export function useMutation<Input, Output>(
  mutationFn: (input: Input) => Promise<Output>,
  { done, invalidates = [], toKnownRead, onDone, handles = () => false, fields }: Options<Input, Output> = {},
) {
  const words = useCommon();
  const [found, setFound] = useState<FoundProblems>(noProblems);
  const [state, setState] = useState<State>(idle);
  /** If attempts overlap, the latest one sets the state. */
  const last = useRef(0);
  /** Whether a form reads the problems, to show them. Without one, the toast has to. */
  const areShown = useRef(false);
  async function attempt(input: Input): Promise<Output> {
    const turn = ++last.current;
    const end = (error: Error | null) => turn === last.current && setState({ isPending: false, error });
    setState({ isPending: true, error: null });
    try {
      const output = await mutationFn(input);
      setFound(noProblems);
      await invalidateAll(invalidates, toKnownRead?.(output) ?? null);
      if (done) toast(typeof done === 'string' ? done : done(output));
      for (const text of explainRemovals(output, words)) toast(text, 'warn');
      onDone?.(output, input);
      end(null);
      return output;
    } catch (failure) {
      const refusal = await explainRefusal(failure, words);
      const problems = listProblems(failure, refusal, fields);
      setFound({ problems: toProblems(problems), namedProblems: toProblems(refusal.namedProblems) });
      // Fields show their own problems; the toast reports all other failures.
      const isAtFields = areShown.current && problems.length > 0;
      if (!isAtFields && !handles(failure)) toast(toText(failure, refusal), 'bad');
      // Somebody else was faster. The screen reads what they saved, so that the next attempt is about that.
      if (isPreconditionFailed(failure) && !handles(failure)) await invalidateAll(invalidates, null);
      end(failure instanceof Error ? failure : new Error(String(failure)));
      throw failure;
    }
  }
  return {
    /** Runs the write without throwing: a failure is reported, and the result is undefined. */
    run: (input: Input): Promise<Output | undefined> => attempt(input).catch(() => undefined),
    /** Runs the write and throws a failure after reporting it. */
    attempt,
    ...state,
    /** The problems by field. Whoever reads them shows them: the toast then leaves them out. */
    get problems(): Problems {
      areShown.current = true;
      return found.problems;
    },
    /** The same problems with the names of their fields, for fields that the form does not show. */
    namedProblems: found.namedProblems,
    reset() {
      setState(idle);
      setFound(noProblems);
    },
  };
}

/** Returns the problems of a failure. An error that names no field gets the one that `fields` has for its code. */
function listProblems(
  failure: unknown,
  { message, problems }: Refusal,
  fields: ErrorFields | undefined,
): readonly Problem[] {
  const field = isWaybillError(failure) ? fields?.[failure.code] : undefined;
  if (field === undefined || problems.length > 0) return problems;
  const [pointer, text] = typeof field === 'string' ? [field, message] : field;
  return [{ pointer, message: text }];
}

interface FoundProblems {
  problems: Problems;
  namedProblems: Problems;
}

/** Returns the text of a toast. The text for an invalid body is about fields, which a write without a form lacks. */
const toText = (failure: unknown, { message, namedProblems: [first] }: Refusal): string =>
  first && isWaybillError(failure, 'invalid_body') ? first.message : message;

const noProblems: FoundProblems = { problems: {}, namedProblems: {} };

const toProblems = (problems: readonly Problem[]): Problems =>
  Object.fromEntries(problems.map(({ pointer, message }) => [pointer, message]));

interface State {
  isPending: boolean;
  error: Error | null;
}

const idle: State = { isPending: false, error: null };

/** New data of a query, known without reading it. */
export interface KnownRead {
  queryKey: QueryKey;
  data: unknown;
}

/** Loads the query client only where queries exist: the sign-in screens have none. */
async function invalidateAll(queryKeys: readonly QueryKey[], known: KnownRead | null): Promise<void> {
  if (queryKeys.length === 0) return;
  const { queries } = await import('./queries.ts');
  if (known) {
    // A read that started before the write must not overwrite the new data.
    await queries.cancelQueries({ queryKey: known.queryKey, exact: true });
    queries.setQueryData(known.queryKey, known.data);
  }
  const present = known && queries.getQueryCache().find({ queryKey: known.queryKey });
  const predicate = (query: unknown) => query !== present;
  await Promise.all(queryKeys.map((queryKey) => queries.invalidateQueries({ queryKey, predicate })));
}
