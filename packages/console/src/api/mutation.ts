import type { QueryKey } from '@tanstack/react-query';
import { isWaybillError, type Problem } from '@waybill/sdk';
import { useRef, useState } from 'react';
import { explain, explainProblem, explainRemovals, useCommon } from '../texts/common.ts';
import { toast } from '../ui/toasts.tsx';

/** The problems of a refused body: each message by the JSON pointer of its field. */
export type Problems = Readonly<Record<string, string>>;

/** The write was refused because somebody else saved first. The user decides which of the two is kept. */
export const isPreconditionFailed = (error: unknown): boolean => isWaybillError(error, 'precondition_failed');

/**
 * A write that the user starts. A toast reports its success or failure, problems go to the fields of the form, and the
 * queries that show the changed data are read again.
 */
export function useMutation<Input, Output>(
  mutationFn: (input: Input) => Promise<Output>,
  {
    done,
    invalidates = [],
    toKnownRead,
    onDone,
    handles = () => false,
    fields = {},
  }: {
    /** Toast text after a success. */
    done?: string | ((output: Output) => string);
    /** Prefixes of the keys of the queries that a success changes. */
    invalidates?: readonly QueryKey[];
    /** Returns the new data of a query, if the answer holds it. That query is not read again. */
    toKnownRead?(output: Output): KnownRead | null;
    onDone?(output: Output, input: Input): void;
    /** True for a failure that the screen shows by itself, without a toast. */
    handles?(error: unknown): boolean;
    /** By error code: the field of an error that names none, and optionally a message that replaces the usual one. */
    fields?: Readonly<Record<string, string | readonly [pointer: string, message: string]>>;
  } = {},
) {
  const words = useCommon();
  const [problems, setProblems] = useState<Problems>({});
  const [state, setState] = useState<State>(idle);
  /** If attempts overlap, the latest one sets the state. */
  const last = useRef(0);
  async function attempt(input: Input): Promise<Output> {
    const turn = ++last.current;
    const end = (error: Error | null) => turn === last.current && setState({ isPending: false, error });
    setState({ isPending: true, error: null });
    try {
      const output = await mutationFn(input);
      setProblems({});
      await invalidateAll(invalidates, toKnownRead?.(output) ?? null);
      if (done) toast(typeof done === 'string' ? done : done(output));
      for (const text of explainRemovals(output, words)) toast(text, 'warn');
      onDone?.(output, input);
      end(null);
      return output;
    } catch (failure) {
      const found = listProblems(failure);
      setProblems(Object.fromEntries(found.map(({ pointer, message }) => [pointer, message])));
      // Fields show their own problems; the toast reports all other failures.
      if (found.length === 0 && !handles(failure)) toast(explain(failure, words), 'bad');
      // Somebody else was faster. The screen reads what they saved, so that the next attempt is about that.
      if (isPreconditionFailed(failure) && !handles(failure)) await invalidateAll(invalidates, null);
      end(failure instanceof Error ? failure : new Error(String(failure)));
      throw failure;
    }
  }
  function listProblems(failure: unknown): readonly Problem[] {
    if (!isWaybillError(failure)) return [];
    const field = fields[failure.code];
    if (field === undefined || failure.problems.length > 0)
      return failure.problems.map((problem) => ({ ...problem, message: explainProblem(problem, words) }));
    const [pointer, message] = typeof field === 'string' ? [field, explain(failure, words)] : field;
    return [{ pointer, message }];
  }
  return {
    /** Runs the write without throwing: a failure is reported, and the result is undefined. */
    run: (input: Input): Promise<Output | undefined> => attempt(input).catch(() => undefined),
    /** Runs the write and throws a failure after reporting it. */
    attempt,
    ...state,
    problems,
    reset() {
      setState(idle);
      setProblems({});
    },
  };
}

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
