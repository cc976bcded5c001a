import { focusPane } from './panes.ts';
import type { Workbench } from './workbench.ts';

/** Selects an element, scrolls to it and shows its settings. */
export function revealNode({ editor, view, canvas }: Workbench, id: string): void {
  view.set({ sheet: null, right: 'inspector', narrow: 'right' });
  editor.select([id]);
  canvas.surface?.scrollToNode(id);
  focusPane('right');
}
