import { type Change, combineChanges } from './changes.ts';

/** One action of a person. */
export interface Step {
  /** The action in words, for "Undo …". */
  readonly label: string;
  readonly changes: readonly Change[];
  /** Changes that others made after the step (or, for an undone step, before it). Undoing the step keeps them. */
  readonly theirs?: readonly Change[];
  /** Steps with the same key within a second are one step, such as the letters of a word. */
  readonly mergeKey?: string;
  /** Milliseconds of any monotonic clock. */
  readonly at: number;
  /** The selection before and after the step. */
  readonly from: readonly string[];
  readonly to: readonly string[];
}

export interface History {
  readonly done: readonly Step[];
  /** Undone steps that can be redone; the next one is last. */
  readonly undone: readonly Step[];
}

export const emptyHistory: History = { done: [], undone: [] };

const maxSteps = 500;
const mergeWindowMs = 1000;

export function pushStep({ done }: History, step: Step): History {
  const last = done.at(-1);
  const isSame =
    step.mergeKey !== undefined &&
    last?.mergeKey === step.mergeKey &&
    !last.theirs &&
    step.at - last.at <= mergeWindowMs;
  if (!isSame) return { done: [...done, step].slice(-maxSteps), undone: [] };
  const changes = combineChanges(last.changes, step.changes);
  return { done: [...done.slice(0, -1), { ...step, from: last.from, changes }], undone: [] };
}

/** Records the changes of another editor. They are not a step, but one's own steps must be undone around them. */
export const recordRemoteChanges = ({ done, undone }: History, theirs: readonly Change[]): History => ({
  done: attachToLast(done, theirs),
  undone: attachToLast(undone, theirs),
});

/** Attaches the changes of others to the last step. */
export function attachToLast(steps: readonly Step[], theirs: readonly Change[]): readonly Step[] {
  const last = steps.at(-1);
  if (!last || theirs.length === 0) return steps;
  return [...steps.slice(0, -1), { ...last, theirs: combineChanges(last.theirs ?? [], theirs) }];
}
