import { focusable } from '../../ui/kept-focus.ts';
import { focusPane, foldPane } from './panes.ts';
import type { Workbench, WorkbenchCore } from './workbench.ts';

/** Selects an element, scrolls to it and shows its settings. */
export function revealNode({ editor, view, canvas }: Workbench, id: string): void {
  view.set({ sheet: null, right: 'inspector', narrow: 'right' });
  foldPane('right', false);
  editor.select([id]);
  canvas.surface?.scrollToNode(id);
  focusPane('right');
}

/** Shows the settings of the selection and moves the focus to the first of them, unless a text is typed by now. */
export function showSettings({ view }: WorkbenchCore): void {
  if (view.state.editingId !== null) return;
  view.set({ right: 'inspector', narrow: 'right' });
  foldPane('right', false);
  // In the next frame, when the panel shows the selection.
  requestAnimationFrame(() => {
    if (view.state.editingId !== null || view.state.sheet) return;
    const setting = findVisible(`[data-control] ${focusable}`) ?? findVisible(focusable);
    if (setting) setting.focus();
    else focusPane('right');
  });
}

const findVisible = (selector: string): HTMLElement | undefined =>
  [...document.querySelectorAll<HTMLElement>(`[data-inspector] ${selector}`)].find((element) =>
    element.checkVisibility(),
  );
