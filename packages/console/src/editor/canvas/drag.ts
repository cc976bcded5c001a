import type { PageDocument } from '@waybill/page';
import type { Workbench } from '../screen/workbench.ts';

/** What is dragged: nodes of the document, or something new. A section lands beside others, never inside one. */
export type Dragged =
  | { readonly ids: readonly string[] }
  | { readonly fragment: PageDocument; readonly label: string; readonly isSection: boolean };

/** Where a drag begins. */
export type DragStart = Pick<PointerEvent, 'clientX' | 'clientY' | 'pointerId' | 'view'> & {
  readonly target: EventTarget | null;
};

let loaded: typeof import('./dragging.ts') | undefined;

/** Reads what drags, once the page is shown: it is there before anything is dragged. */
export async function loadDragging(): Promise<typeof import('./dragging.ts')> {
  loaded ??= await import('./dragging.ts');
  return loaded;
}

/** Drags over the canvas and the layers from anywhere, until it is let go; Escape takes it back. */
export function beginDrag(workbench: Workbench, start: DragStart, what: Dragged): void {
  loaded?.beginDrag(workbench, start, what);
}
