import { type Change, joined } from './changes.ts';

/** One thing that a person did. */
export interface Step {
  /** What was done, in words, for "Undo …". */
  readonly label: string;
  readonly changes: readonly Change[];
  /** What others did after the step, of what is done, or before it, of what is undone: it is not taken back with it. */
  readonly theirs?: readonly Change[];
  /** Steps with one key within a second are one, as letters of a word are. */
  readonly mergeKey?: string;
  /** Milliseconds of any clock that does not go back. */
  readonly at: number;
  /** What was selected before, and is after. */
  readonly from: readonly string[];
  readonly to: readonly string[];
}

export interface History {
  readonly done: readonly Step[];
  /** What was taken back and can be done again, the next last. */
  readonly undone: readonly Step[];
}

export const emptyHistory: History = { done: [], undone: [] };

const mostSteps = 500;
const mergedWithinMs = 1000;

export function withStep({ done }: History, step: Step): History {
  const last = done.at(-1);
  const isSame =
    step.mergeKey !== undefined &&
    last?.mergeKey === step.mergeKey &&
    !last.theirs &&
    step.at - last.at <= mergedWithinMs;
  if (!isSame) return { done: [...done, step].slice(-mostSteps), undone: [] };
  const changes = joined(last.changes, step.changes);
  return { done: [...done.slice(0, -1), { ...step, from: last.from, changes }], undone: [] };
}

/** Notes what somebody else did: no step of one's own, but each of those has to be taken back around it. */
export const withTheirs = ({ done, undone }: History, theirs: readonly Change[]): History => ({
  done: afterLast(done, theirs),
  undone: afterLast(undone, theirs),
});

/** The steps, the last of them followed by what others did. */
export function afterLast(steps: readonly Step[], theirs: readonly Change[]): readonly Step[] {
  const last = steps.at(-1);
  if (!last || theirs.length === 0) return steps;
  return [...steps.slice(0, -1), { ...last, theirs: joined(last.theirs ?? [], theirs) }];
}
