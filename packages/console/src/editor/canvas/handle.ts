import type { Surface } from './surface.ts';

/** The canvas, for the other parts of the editor; null while it is not on the screen. */
export interface CanvasHandle {
  surface: Surface | null;
}
