import { findActionByKey } from '../workbench/actions.ts';
import { movePane } from '../workbench/panes.ts';
import type { CanvasSurface, SurfaceHost } from './canvas-surface.ts';
import { findNodeByKey } from './key-navigation.ts';

const isCommand = ({ ctrlKey, metaKey }: KeyboardEvent) => ctrlKey || metaKey;

/** Handles a key pressed on the canvas or in its frame: saving, panes, the menu, actions, and walking the tree. */
export function onCanvasKey(surface: CanvasSurface, host: SurfaceHost, event: KeyboardEvent): void {
  const { workbench } = surface;
  const { editor, view } = workbench;
  if (event.defaultPrevented) return;
  if (isCommand(event) && event.key.toLowerCase() === 's') {
    event.preventDefault();
    void workbench.queue.flush();
    return;
  }
  // Keys pressed in the frame do not reach the window, which handles F6.
  if (event.key === 'F6' && event.view !== window) {
    event.preventDefault();
    movePane(event.shiftKey ? -1 : 1, 'canvas');
    return;
  }
  if (view.state.editingId !== null) return;
  const { tree, selection } = editor.state;
  if (event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey)) {
    event.preventDefault();
    const box = selection[0] === undefined ? undefined : surface.findBox(selection[0]);
    host.openMenu(surface.toWindowPoint({ x: box?.left ?? 20, y: box?.top ?? 20 }));
    return;
  }
  const onlyId = selection.length === 1 ? selection[0] : undefined;
  if (event.key === 'Enter' && onlyId !== undefined && !isCommand(event)) {
    event.preventDefault();
    surface.edit(onlyId);
    return;
  }
  const action = findActionByKey(workbench, event);
  if (action) {
    event.preventDefault();
    action.run();
    return;
  }
  if (isCommand(event) || event.altKey) return;
  const next = findNodeByKey(tree, selection.at(-1), event.key);
  if (next === undefined) {
    if (event.key.startsWith('Arrow')) event.preventDefault();
    return;
  }
  event.preventDefault();
  if (event.shiftKey && !selection.includes(next)) editor.select([...selection, next]);
  else editor.select([next]);
  const node = tree.nodes.get(next);
  if (node) workbench.announce(describeNode(surface, host, next));
}

/** Returns the name of a node and the beginning of its text. */
function describeNode(surface: CanvasSurface, { getName }: SurfaceHost, id: string): string {
  const text = surface.findElement(id)?.textContent?.trim().slice(0, 60) ?? '';
  return text === '' ? getName(id) : `${getName(id)}: ${text}`;
}
