import type { PageDocument } from '@waybill/page';

/** The canvas, as the other parts of the editor use it. */
export interface CanvasPort {
  /** The document in the canvas's frame, whose window also parses pasted HTML. */
  readonly document: Document;
  /** Scrolls a node into view. */
  scrollToNode(id: string): void;
  /** Moves the keyboard focus to the canvas. */
  focus(): void;
  /** Calls `listener` whenever another state is shown. Returns a function that ends this. */
  onDraw(listener: () => void): () => void;
  /**
   * Returns the element of a node, or of a node of the block that it refers to; undefined if it is not shown.
   */
  findElement(id: string, blockNodeId?: string): Element | undefined;
  /** Starts a drag over the canvas and the layers, from anywhere, until it is released; Escape cancels it. */
  beginDrag(start: DragStart, dragged: Dragged): void;
}

/** Holds the canvas; null while it is not on the screen. */
export interface CanvasHandle {
  surface: CanvasPort | null;
}

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
