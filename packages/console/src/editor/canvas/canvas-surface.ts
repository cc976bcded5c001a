import type { Json } from '@waybill/page';
import type { RichTextTools } from '../../shell/rich-text.ts';
import type { CanvasWords } from '../../texts/en/editor-canvas.ts';
import type { CanvasPort } from '../workbench/canvas-port.ts';
import type { PagePart } from '../workbench/page-parts.ts';
import type { Workbench } from '../workbench/workbench.ts';
import type { Box } from './box.ts';
import type { Frame } from './frame.ts';
import type { Overlay } from './overlay.ts';

/** The canvas, as its own parts use it: the pointer, dragging, typing and the handles. `Surface` implements it. */
export interface CanvasSurface extends CanvasPort {
  readonly workbench: Workbench;
  readonly words: CanvasWords;
  readonly frame: Frame;
  readonly iframe: HTMLIFrameElement;
  readonly overlay: Overlay;
  /** Undefined while nothing is typed. */
  readonly typing: TypingSession | undefined;
  /** The scale at which the frame is shown. */
  readonly scale: number;
  /** Draws the current state. */
  draw(): void;
  /** Moves the boxes over the page to the current places of the nodes. */
  updateOverlay(): void;
  /** Returns a node's box in the frame's pixels; undefined if it is not shown. */
  findBox(id: string): Box | undefined;
  /** Returns the innermost node of the document at a point of the frame. */
  findNodeAt(x: number, y: number): string | undefined;
  /** Tells whether an element around the page belongs to the store's header or footer. */
  findPartName(element: Element): PagePart | undefined;
  /** Converts a point of the window to the frame's pixels. */
  toFramePoint(point: { clientX: number; clientY: number }): { x: number; y: number };
  toWindowPoint(point: { x: number; y: number }): { x: number; y: number };
  /** Hides all feedback of the pointer while something else is going on. */
  hideFeedback(): void;
  /** Edits a node in place: its text, or the content of a global section. */
  edit(id: string, point?: { x: number; y: number }): void;
  /** Ends the typing; the typed text is already in the document. */
  stopTyping(): void;
}

/** Typing that is going on in a node on the canvas. */
export interface TypingSession {
  readonly id: string;
  /** The tools of the toolbar; only for rich text. */
  readonly tools?: RichTextTools<Json>;
  /** Whether a node of the frame is inside the text. */
  contains(node: Node): boolean;
  /** Handles a key; returns whether the text has used it. */
  onKey(event: KeyboardEvent): boolean;
  /** Called when the page may have moved. */
  onLayout(): void;
  stop(): void;
}

/** Functions of the screen around the canvas. */
export interface SurfaceHost {
  /** Returns the display name of a node. */
  getName(id: string): string;
  readonly words: CanvasWords;
  /** Opens a menu with the actions for the selection, at a point of the window. */
  openMenu(point: { x: number; y: number }): void;
  /** Moves the keyboard focus to the canvas. */
  focus(): void;
  onKey(event: KeyboardEvent, surface: CanvasSurface): void;
  onTyping(typing: TypingSession | null): void;
  /** Opens the target of a reference to a global section. */
  openSection(id: string): void;
  /** Opens the editor of the store's header or footer. */
  openPart(part: PagePart): void;
}
