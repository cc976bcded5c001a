import type { PageNode, Problem } from '@waybill/page';
import { toast } from '../../ui/toasts.tsx';
import type { Change } from '../core/changes.ts';
import { duplicate, move, remove, setValue, unwrap, valueAt, wrap } from '../core/commands.ts';
import type { UndoResult } from '../core/editor.ts';
import { createNodeId, findSiblingIndex, getChildIds, outermostIds } from '../core/tree.ts';
import { findTypedText } from './typed-text.ts';
import type { Workbench } from './workbench.ts';
import { setZoom, stepZoom } from './zoom.ts';

/** An action on the selection, for the menu, the keyboard and the help. */
export interface Action {
  readonly id: string;
  readonly text: string;
  /** `KeyboardEvent.key` with the prefixes `Ctrl+`, `Alt+`, `Shift+`; Ctrl is ⌘ on a Mac. */
  readonly keys?: string;
  readonly isDanger?: boolean;
  readonly isDisabled?: boolean;
  run(): void;
}

/** Returns the actions for the selection, or for other nodes as if they were selected, in the order of the menu. */
export function listNodeActions(
  workbench: Workbench,
  selection: readonly string[] = workbench.editor.state.selection,
): Action[] {
  const selected = describeSelection(workbench, selection);
  return [
    ...listMoveActions(workbench, selected),
    ...listStructureActions(workbench, selected),
    ...listPropertyActions(workbench, selected),
    ...listOuterActions(workbench, selected),
  ].filter((action) => action !== false);
}

type Selected = ReturnType<typeof describeSelection>;

/** Returns the facts about the selection that decide which actions it has. */
function describeSelection({ editor, canWrite }: Workbench, selection: readonly string[]) {
  const { tree } = editor.state;
  const ids = outermostIds(tree, selection);
  const ownIds = ids.filter((id) => id !== tree.rootId);
  const parentId = ownIds[0] === undefined ? undefined : tree.parents.get(ownIds[0]);
  return {
    tree,
    /** The selected nodes other than the root. */
    own: ownIds,
    /** The selected node, if it is the only one. */
    onlyNode: ids.length === 1 ? tree.nodes.get(ids[0]!) : undefined,
    parentId,
    areSiblings: ownIds.length > 0 && ownIds.every((id) => tree.parents.get(id) === parentId),
    isReadOnly: !canWrite || ownIds.length === 0,
  };
}

/** Returns the actions that edit or move the selection. */
function listMoveActions(
  workbench: Workbench,
  { own: ownIds, onlyNode, areSiblings, isReadOnly }: Selected,
): Action[] {
  const { view, words, canWrite } = workbench;
  return [
    {
      id: 'edit',
      text: words.editText,
      keys: 'Enter',
      isDisabled: !canWrite || !onlyNode || !findTypedText(workbench, onlyNode.id),
      run: () => onlyNode && view.set({ editingId: onlyNode.id, narrow: 'canvas' }),
    },
    {
      id: 'moveUp',
      text: words.moveUp,
      keys: 'Alt+ArrowUp',
      isDisabled: isReadOnly || !areSiblings,
      run: () => step(workbench, ownIds, -1),
    },
    {
      id: 'moveDown',
      text: words.moveDown,
      keys: 'Alt+ArrowDown',
      isDisabled: isReadOnly || !areSiblings,
      run: () => step(workbench, ownIds, 1),
    },
    {
      id: 'moveTo',
      text: words.moveTo,
      keys: 'm',
      isDisabled: isReadOnly,
      run: () => view.set({ sheet: { kind: 'moveTo' } }),
    },
  ];
}

/** Returns the actions that copy, wrap or unwrap the selection. */
function listStructureActions(
  workbench: Workbench,
  { tree, own: ownIds, onlyNode, areSiblings, isReadOnly }: Selected,
): (Action | false)[] {
  const { words } = workbench;
  return [
    {
      id: 'duplicate',
      text: words.duplicate,
      keys: 'Ctrl+d',
      isDisabled: isReadOnly,
      run() {
        const { changes, copies } = duplicate(tree, ownIds);
        applyChanges(workbench, words.duplicated, changes, copies);
      },
    },
    {
      id: 'wrap',
      text: words.wrap,
      keys: 'Ctrl+g',
      isDisabled: isReadOnly || !areSiblings,
      run() {
        const box: PageNode = { id: createNodeId(), type: 'container' };
        applyChanges(workbench, words.wrapped, wrap(tree, ownIds, box), [box.id]);
      },
    },
    onlyNode !== undefined &&
      onlyNode.id !== tree.rootId &&
      getChildIds(tree, onlyNode.id).length > 0 && {
        id: 'unwrap',
        text: words.unwrap,
        keys: 'Ctrl+Shift+g',
        isDisabled: isReadOnly,
        run: () =>
          applyChanges(workbench, words.unwrapped, unwrap(tree, onlyNode.id), getChildIds(tree, onlyNode.id)),
      },
  ];
}

/** Returns the actions that change how the selection is shown, named or shared. */
function listPropertyActions(
  workbench: Workbench,
  { tree, own: ownIds, onlyNode, areSiblings, isReadOnly }: Selected,
): (Action | false)[] {
  const { view, words, canWrite } = workbench;
  return [
    {
      id: 'hide',
      text: isHidden(workbench, ownIds) ? words.show : words.hide,
      keys: 'Ctrl+Shift+h',
      isDisabled: isReadOnly || !canHide(workbench, ownIds),
      run: () => toggleHidden(workbench, ownIds),
    },
    {
      id: 'rename',
      text: words.rename,
      keys: 'F2',
      isDisabled: !canWrite || !onlyNode,
      run: () => onlyNode && view.set({ sheet: { kind: 'rename', id: onlyNode.id } }),
    },
    {
      id: 'makeSection',
      text: words.makeSection,
      isDisabled:
        isReadOnly || !areSiblings || ownIds.some((id) => tree.nodes.get(id)?.type === 'sectionRef'),
      run: () => view.set({ sheet: { kind: 'section' } }),
    },
    onlyNode?.type === 'sectionRef' && {
      id: 'detach',
      text: words.detach,
      isDisabled: isReadOnly,
      run: () => view.set({ sheet: { kind: 'detach' } }),
    },
  ];
}

/** Returns the actions that leave the selection: for its parent, its section, or by its removal. */
function listOuterActions(
  workbench: Workbench,
  { tree, own: ownIds, parentId, isReadOnly }: Selected,
): (Action | false)[] {
  const { words } = workbench;
  return [
    {
      id: 'selectParent',
      text: words.selectParent,
      keys: 'Escape',
      isDisabled: parentId === undefined,
      run: () => parentId !== undefined && select(workbench, [parentId]),
    },
    workbench.surrounding !== null &&
      parentId === undefined && {
        id: 'leave',
        text: words.leaveSection,
        keys: 'Escape',
        run: () => workbench.surrounding?.leave([workbench.surrounding.referenceId]),
      },
    {
      id: 'delete',
      text: words.delete,
      keys: 'Delete',
      isDanger: true,
      isDisabled: isReadOnly,
      run() {
        const next = findNeighbour(workbench, ownIds);
        applyChanges(
          workbench,
          words.deleted({ count: ownIds.length }),
          remove(tree, ownIds),
          next === undefined ? [] : [next],
        );
      },
    },
  ];
}

/** Returns the actions that do not depend on the selection. */
export function listGlobalActions(workbench: Workbench): Action[] {
  const { editor, view, words, canWrite } = workbench;
  const undo = () => announceUndo(workbench, editor.undo(), words.undone);
  const redo = () => announceUndo(workbench, editor.redo(), words.redone);
  return [
    {
      id: 'insert',
      text: words.insert,
      keys: '/',
      isDisabled: !canWrite,
      run: () => view.set({ sheet: { kind: 'insert' } }),
    },
    {
      id: 'selectAll',
      text: words.selectAll,
      keys: 'Ctrl+a',
      run() {
        const { tree, selection } = editor.state;
        const parentId = tree.parents.get(selection.at(-1) ?? '') ?? tree.rootId;
        select(workbench, getChildIds(tree, parentId));
      },
    },
    { id: 'save', text: words.save, keys: 'Ctrl+s', run: () => void workbench.queue.flush() },
    { id: 'undo', text: words.undo, keys: 'Ctrl+z', isDisabled: !canWrite, run: undo },
    { id: 'redo', text: words.redo, keys: 'Ctrl+Shift+z', isDisabled: !canWrite, run: redo },
    { id: 'redoToo', text: words.redo, keys: 'Ctrl+y', isDisabled: !canWrite, run: redo },
    { id: 'zoomIn', text: words.zoomIn, keys: 'Plus', run: () => stepZoom(workbench, 1) },
    { id: 'zoomOut', text: words.zoomOut, keys: '-', run: () => stepZoom(workbench, -1) },
    { id: 'zoomFit', text: words.zoomFit, keys: '0', run: () => setZoom(workbench, 'fit') },
    ...(['base', 'tablet', 'mobile'] as const).map((width, at) => ({
      id: width,
      text: words.widths[width],
      keys: `${at + 1}`,
      run() {
        view.set({ width });
        workbench.announce(words.widths[width]);
      },
    })),
    { id: 'help', text: words.help, keys: '?', run: () => view.set({ sheet: { kind: 'help' } }) },
  ];
}

function announceUndo(
  { announce, words }: Workbench,
  result: UndoResult | undefined,
  createText: (args: { label: string }) => string,
): void {
  if (!result) return;
  const { label, skipped } = result;
  if (skipped !== 'all') announce(createText({ label }));
  if (skipped !== 'nothing') toast(words.theirsStays[skipped]({ label }), 'neutral');
}

/** Returns the action of a key; undefined if it has none or the action is currently disabled. */
export const findActionByKey = (workbench: Workbench, event: KeyLike): Action | undefined =>
  findNodeActionByKey(workbench, event) ?? findGlobalActionByKey(workbench, event);

/** The same of the actions for the selection, or for other nodes as if they were selected. */
export const findNodeActionByKey = (
  workbench: Workbench,
  event: KeyLike,
  selection?: readonly string[],
): Action | undefined => findByKey(listNodeActions(workbench, selection), event);

/** The same of the actions that do not depend on the selection. */
export const findGlobalActionByKey = (workbench: Workbench, event: KeyLike): Action | undefined =>
  findByKey(listGlobalActions(workbench), event);

function findByKey(actions: readonly Action[], event: KeyLike): Action | undefined {
  const pressedKeys = describeKeys(event);
  return actions.find(({ keys, isDisabled }) => keys === pressedKeys && !isDisabled);
}

export type KeyLike = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>;

/** Keys that are treated as others: `+` without Shift is `=` on many keyboards, and `+` separates keys here. */
const keyAliases: Readonly<Record<string, string>> = { Backspace: 'Delete', '+': 'Plus', '=': 'Plus' };

function describeKeys({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyLike): string {
  const isLetter = /^[a-z]$/i.test(key);
  // Characters typed with Shift, such as "?", are names of their own.
  const shift = shiftKey && (isLetter || key.length > 1);
  const name = keyAliases[key] ?? (isLetter ? key.toLowerCase() : key);
  return [ctrlKey || metaKey ? 'Ctrl' : '', altKey ? 'Alt' : '', shift ? 'Shift' : '', name]
    .filter((part) => part !== '')
    .join('+');
}

/** Applies changes and announces them. If they are refused, shows the reason and returns false. */
export function applyChanges(
  workbench: Workbench,
  label: string,
  changes: readonly Change[],
  selected?: readonly string[],
  mergeKey?: string,
): boolean {
  if (changes.length === 0) return false;
  const refusal: Problem | undefined = workbench.editor.apply(label, changes, {
    ...(selected && { select: selected }),
    ...(mergeKey !== undefined && { mergeKey }),
  });
  if (refusal) workbench.refuse(refusal);
  else workbench.announce(label);
  return refusal === undefined;
}

export function select(workbench: Workbench, ids: readonly string[]): void {
  workbench.editor.select(ids);
}

const isReference = (node: PageNode | undefined) => node?.type === 'blockRef' || node?.type === 'sectionRef';

/** Whether the nodes can be hidden here. The target of a reference is hidden in its own editor. */
export const canHide = ({ editor }: Workbench, ids: readonly string[]): boolean =>
  !ids.some((id) => isReference(editor.state.tree.nodes.get(id)));

/** Hides nodes at the current width and narrower ones, or shows them again. */
export function toggleHidden(workbench: Workbench, ids: readonly string[]): void {
  const { editor, view, words } = workbench;
  const path = { target: 'config', breakpoint: view.state.width, key: 'hidden' } as const;
  const hidden = isHidden(workbench, ids);
  const value = hidden ? (view.state.width === 'base' ? undefined : false) : true;
  const changes = setValue(editor.state.tree, ids, path, value);
  applyChanges(workbench, hidden ? words.shown : words.hidden, changes, ids);
}

export function isHidden({ editor, view }: Workbench, ids: readonly string[]): boolean {
  const { tree } = editor.state;
  return ids.some((id) => {
    const props = tree.nodes.get(id)?.props;
    const path = { target: 'config', breakpoint: view.state.width, key: 'hidden' } as const;
    return valueAt(props, path) === true;
  });
}

/** Moves nodes one place up or down among their siblings; at the end, out of their parent. */
function step(workbench: Workbench, ids: readonly string[], direction: 1 | -1): void {
  const { editor, words } = workbench;
  const { tree } = editor.state;
  const parentId = tree.parents.get(ids[0]!)!;
  const siblings = getChildIds(tree, parentId);
  const first = siblings.indexOf(ids[0]!);
  const last = siblings.indexOf(ids.at(-1)!);
  const isAtEnd = direction < 0 ? first === 0 : last === siblings.length - 1;
  const outer = tree.parents.get(parentId);
  if (isAtEnd && outer === undefined) {
    workbench.announce(words.cannotMoveFurther);
    return;
  }
  const changes = isAtEnd
    ? move(tree, ids, outer!, findSiblingIndex(tree, parentId) + (direction < 0 ? 0 : 1))
    : move(tree, ids, parentId, direction < 0 ? first - 1 : last + 2);
  applyChanges(workbench, direction < 0 ? words.movedUp : words.movedDown, changes, ids);
}

/** Returns the node to select after a removal: the next sibling, else the previous one, else the parent. */
function findNeighbour({ editor }: Workbench, ids: readonly string[]): string | undefined {
  const { tree } = editor.state;
  const parentId = ids.length > 0 ? tree.parents.get(ids.at(-1)!) : undefined;
  if (parentId === undefined) return undefined;
  const siblings = getChildIds(tree, parentId);
  const at = siblings.indexOf(ids.at(-1)!);
  const rest = [...siblings.slice(at + 1), ...siblings.slice(0, at).toReversed()];
  return rest.find((id) => !ids.includes(id)) ?? parentId;
}
