import { checkDocument, limits, type PageDocument, type Problem, type Vocabulary } from '@waybill/page';
import { applyToTree, type Change, invertChanges } from './changes.ts';
import { replaceDocument } from './commands.ts';
import {
  attachToLast,
  emptyHistory,
  type History,
  pushStep,
  recordRemoteChanges,
  type Step,
} from './history.ts';
import { merge } from './lazy-merge.ts';
import { createTree, type Tree, toDocument } from './tree.ts';

export interface EditorState {
  readonly tree: Tree;
  /** The ids of the selected nodes, none of them inside a block. */
  readonly selection: readonly string[];
  readonly history: History;
}

export interface ApplyOptions {
  /** Steps with the same key within a second become one. */
  readonly mergeKey?: string;
  /** The selection after the step; unchanged by default. */
  readonly select?: readonly string[];
}

/** The result of undoing or redoing a step. */
export interface UndoResult {
  readonly label: string;
  /** How much of the step was left out, because somebody else has changed the same parts since. */
  readonly skipped: 'nothing' | 'some' | 'all';
}

/** Called with each state and the changes that led to it; there are none if only the selection has changed. */
export type EditorListener = (state: EditorState, changes: readonly Change[]) => void;

/**
 * A document that is being edited, and the only way to write it. A command's changes are checked against the vocabulary
 * and refused with a reason before anything changes; accepted changes become a step of the history.
 */
export class Editor {
  readonly vocabulary: Vocabulary;
  readonly #now: () => number;
  readonly #listeners = new Set<EditorListener>();
  #state: EditorState;

  constructor(vocabulary: Vocabulary, document: PageDocument, now = () => performance.now()) {
    this.vocabulary = vocabulary;
    this.#now = now;
    this.#state = { tree: createTree(document), selection: [], history: emptyHistory };
  }

  /** The same object until something changes, as `useSyncExternalStore` requires. */
  get state(): EditorState {
    return this.#state;
  }

  get document(): PageDocument {
    return toDocument(this.#state.tree);
  }

  subscribe(listener: EditorListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Applies a command's changes. If they are refused, returns the reason and changes nothing. */
  apply(
    label: string,
    changes: readonly Change[],
    { mergeKey, select }: ApplyOptions = {},
  ): Problem | undefined {
    if (changes.length === 0) return undefined;
    const tree = applyToTree(this.#state.tree, changes);
    const refusal = findFirstProblem(this.vocabulary, tree, changes);
    if (refusal) return refusal;
    const from = this.#state.selection;
    const to = existingIds(tree, select ?? from);
    const step: Step = {
      label,
      changes,
      at: this.#now(),
      from,
      to,
      ...(mergeKey !== undefined && { mergeKey }),
    };
    this.#set({ tree, selection: to, history: pushStep(this.#state.history, step) }, changes);
    return undefined;
  }

  /** Takes over merged changes of another editor. They are not a step, and undo does not revert them. */
  applyRemote(changes: readonly Change[]): void {
    if (changes.length === 0) return;
    const { tree, selection, history } = this.#state;
    const next = applyToTree(tree, changes);
    this.#set(
      { tree: next, selection: existingIds(next, selection), history: recordRemoteChanges(history, changes) },
      changes,
    );
  }

  /** Undoes the last step and returns it, for "Undone: …". */
  undo(): UndoResult | undefined {
    const { done, undone } = this.#state.history;
    const step = done.at(-1);
    if (!step) return undefined;
    const { changes, theirs, skipped } = this.#rebaseStep(step, invertChanges(step.changes));
    const undoneSteps =
      changes.length > 0 ? [{ ...withoutTheirs(step), changes: invertChanges(changes) }] : [];
    const history = { done: attachToLast(done.slice(0, -1), theirs), undone: [...undone, ...undoneSteps] };
    this.#applyHistory(changes, step.from, history);
    return { label: step.label, skipped };
  }

  /** Redoes the step that was undone last. */
  redo(): UndoResult | undefined {
    const { done, undone } = this.#state.history;
    const step = undone.at(-1);
    if (!step) return undefined;
    const { changes, theirs, skipped } = this.#rebaseStep(step, step.changes);
    // Removes the merge key, so that new typing does not join an old step.
    const { mergeKey: _, ...again } = withoutTheirs(step);
    const doneSteps = changes.length > 0 ? [{ ...again, changes }] : [];
    const history = { done: [...done, ...doneSteps], undone: attachToLast(undone.slice(0, -1), theirs) };
    this.#applyHistory(changes, step.to, history);
    return { label: step.label, skipped };
  }

  /**
   * Returns a step's changes for the document after others have changed it too, and the others' changes without the
   * step. If both changed the same part, the others' change stays.
   */
  #rebaseStep(
    { theirs }: Step,
    changes: readonly Change[],
  ): { changes: readonly Change[]; theirs: readonly Change[]; skipped: UndoResult['skipped'] } {
    if (!theirs) return { changes, theirs: [], skipped: 'nothing' };
    const { tree } = this.#state;
    const before = applyToTree(tree, invertChanges(theirs));
    const after = applyToTree(before, changes);
    const { document, conflicts } = merge(
      this.vocabulary,
      toDocument(before),
      toDocument(tree),
      toDocument(after),
    );
    const merged = replaceDocument(tree, document);
    const skipped = conflicts.length === 0 ? 'nothing' : merged.length > 0 ? 'some' : 'all';
    return { changes: merged, theirs: replaceDocument(after, document), skipped };
  }

  select(ids: readonly string[]): void {
    const selection = existingIds(this.#state.tree, ids);
    const before = this.#state.selection;
    if (selection.length === before.length && selection.every((id, i) => id === before[i])) return;
    this.#set({ ...this.#state, selection }, []);
  }

  #applyHistory(changes: readonly Change[], selection: readonly string[], history: History): void {
    const tree = applyToTree(this.#state.tree, changes);
    this.#set({ tree, selection: existingIds(tree, selection), history }, changes);
  }

  #set(state: EditorState, changes: readonly Change[]): void {
    this.#state = state;
    for (const listener of [...this.#listeners]) listener(state, changes);
  }
}

/** The step without the changes of others, which have been taken into account. */
const withoutTheirs = ({ theirs: _, ...step }: Step): Step => step;

const existingIds = (tree: Tree, ids: readonly string[]) => ids.filter((id) => tree.nodes.has(id));

/**
 * Returns the first problem after the changes. If no node was added, removed or moved, only the changed nodes are
 * checked, each as a document of its own, because typing a letter must not cost a check of 5,000 nodes.
 */
function findFirstProblem(
  vocabulary: Vocabulary,
  tree: Tree,
  changes: readonly Change[],
): Problem | undefined {
  const isStructural = changes.some(
    ({ before, after }) => !before || !after || before.children !== after.children,
  );
  if (isStructural) return checkDocument(vocabulary, toDocument(tree))[0];
  if (tree.bytes > limits.bytes)
    return { pointer: '', message: `must have at most ${limits.bytes} bytes as JSON` };
  for (const { after } of changes) {
    const { children: _, ...node } = after!;
    const [problem] = checkDocument(vocabulary, { rootId: node.id, nodes: [node] });
    if (problem) return problem;
  }
  return undefined;
}
