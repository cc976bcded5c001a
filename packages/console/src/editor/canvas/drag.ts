import type { PageDocument } from '@waybill/page';
import type { Workbench } from '../screen/workbench.ts';

/**
 * The dragged load: nodes of the document or something new. A section lands beside other sections, never inside one.
 */
export type Dragged =
  | { readonly ids: readonly string[] }
  | { readonly fragment: PageDocument; readonly label: string; readonly isSection: boolean };

/** The pointer when a drag starts, in the coordinates of `view`. */
export type DragStart = Pick<PointerEvent, 'clientX' | 'clientY' | 'pointerId' | 'view'> & {
  /** The pressed element. */
  readonly target: EventTarget | null;
};

let loaded: typeof import('./dragging.ts') | undefined;

/** Loads the dragging code once the page is shown, so that it is ready before a drag starts. */
export async function loadDragging(): Promise<typeof import('./dragging.ts')> {
  loaded ??= await import('./dragging.ts');
  return loaded;
}

/** Starts a drag over the canvas and the layers, from anywhere, until it is released; Escape cancels it. */
export function beginDrag(workbench: Workbench, start: DragStart, dragged: Dragged): void {
  loaded?.beginDrag(workbench, start, dragged);
}
