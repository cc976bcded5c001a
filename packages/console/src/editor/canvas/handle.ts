import type { Surface } from './surface.ts';

/** Where the parts of the editor find the canvas; null while it is not on the screen. */
export interface CanvasHandle {
  surface: Surface | null;
}
