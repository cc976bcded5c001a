import { focusPane } from './panes.ts';
import type { Workbench } from './workbench.ts';

/** Selects an element and brings it into view, with its settings beside it. */
export function goTo({ editor, view, canvas }: Workbench, id: string): void {
  view.set({ sheet: null, right: 'inspector', narrow: 'right' });
  editor.select([id]);
  canvas.surface?.reveal(id);
  focusPane('right');
}
