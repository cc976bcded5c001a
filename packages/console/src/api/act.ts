import type { QueryKey } from '@tanstack/react-query';
import { isWaybillError, type Problem } from '@waybill/sdk';
import { useRef, useState } from 'react';
import { explain, explainProblem, explainRemovals, useCommon } from '../texts/common.ts';
import { toast } from '../ui/toasts.tsx';

/** What a refused body was refused for: messages by the pointer of the field that each belongs to. */
export type Problems = Readonly<Record<string, string>>;

/** Whether a write was refused because somebody else's came first: whose holds is the user's to say. */
export const isPreconditionFailed = (error: unknown): boolean => isWaybillError(error, 'precondition_failed');

/**
 * Something that the user does: it is said when it is done, and when it fails. What it touches is read again, so no
 * screen shows what was.
 */
export function useAct<Input, Output>(
  act: (input: Input) => Promise<Output>,
  {
    done,
    touches = [],
    onDone,
    handles = () => false,
    fields = {},
  }: {
    /** What is said then. */
    done?: string | ((output: Output) => string);
    /** The queries that show something else now, by how their keys begin. */
    touches?: readonly QueryKey[];
    onDone?(output: Output, input: Input): void;
    /** True for a failure that the screen shows by itself. */
    handles?(error: unknown): boolean;
    /** By code: the pointer of the field that a refusal belongs to which names none, and what is said there. */
    fields?: Readonly<Record<string, string | readonly [pointer: string, message: string]>>;
  } = {},
) {
  const words = useCommon();
  const [problems, setProblems] = useState<Problems>({});
  const [state, setState] = useState<State>(resting);
  /** Who acts twice at once sees what came of the last. */
  const last = useRef(0);
  async function attempt(input: Input): Promise<Output> {
    const turn = ++last.current;
    const end = (error: Error | null) => turn === last.current && setState({ isPending: false, error });
    setState({ isPending: true, error: null });
    try {
      const output = await act(input);
      setProblems({});
      await readAgain(touches);
      if (done) toast(typeof done === 'string' ? done : done(output));
      for (const text of explainRemovals(output, words)) toast(text, 'warn');
      onDone?.(output, input);
      end(null);
      return output;
    } catch (failure) {
      const found = problemsOf(failure);
      setProblems(Object.fromEntries(found.map(({ pointer, message }) => [pointer, message])));
      // Fields say what is wrong with them; a form says the rest.
      if (found.length === 0 && !handles(failure)) toast(explain(failure, words), 'bad');
      end(failure instanceof Error ? failure : new Error(String(failure)));
      throw failure;
    }
  }
  function problemsOf(failure: unknown): readonly Problem[] {
    if (!isWaybillError(failure)) return [];
    const field = fields[failure.code];
    if (field === undefined || failure.problems.length > 0)
      return failure.problems.map((problem) => ({ ...problem, message: explainProblem(problem, words) }));
    const [pointer, message] = typeof field === 'string' ? [field, explain(failure, words)] : field;
    return [{ pointer, message }];
  }
  return {
    /** Never throws; undefined: it failed, and that has been said. */
    run: (input: Input): Promise<Output | undefined> => attempt(input).catch(() => undefined),
    /** As `run`, for whoever has to know that it failed. */
    attempt,
    ...state,
    problems,
    reset() {
      setState(resting);
      setProblems({});
    },
  };
}

interface State {
  isPending: boolean;
  error: Error | null;
}

const resting: State = { isPending: false, error: null };

/** Reads again what a deed touches. Where nothing has been read, as at the door, there is nothing to read it by. */
async function readAgain(touches: readonly QueryKey[]): Promise<void> {
  if (touches.length === 0) return;
  const { queries } = await import('./queries.ts');
  await Promise.all(touches.map((queryKey) => queries.invalidateQueries({ queryKey })));
}
