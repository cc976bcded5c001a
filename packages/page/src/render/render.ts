import { limits } from '../model.ts';
import type { ResolvedNode } from '../resolved.ts';
import { elementRenderers } from './elements.ts';
import { Writer } from './writer.ts';

/** A page's own HTML and CSS, without the document around them. */
export interface Rendered {
  readonly html: string;
  readonly css: string;
}

/** Where a node stands in the HTML: what an editor finds it by, without a mark in the page. */
export interface RenderedPlace {
  /** The node's, as `TreeNode.path`. */
  readonly path: string;
  /** Of a list's copies of one node: that node's own path. */
  readonly original?: string;
  /**
   * Which element of the HTML, in document order and from 0, is the first that the node wrote: its own, or the link
   * around a picture. -1 where it wrote nothing.
   */
  readonly ordinal: number;
  /** Where its one outermost element begins and ends in `html`, in UTF-16 units; the same where it wrote nothing. */
  readonly start: number;
  readonly end: number;
  /** How many elements stand in that range. */
  readonly elements: number;
}

export interface RenderedWithPlaces extends Rendered {
  /** Of every node of the tree, each before its children, whether it shows or not. */
  readonly places: readonly RenderedPlace[];
}

/**
 * Grows with every change of what a page becomes, here or in the steps before: who keeps rendered pages tells by it
 * which ones to render again.
 */
export const rendererVersion = 14;

export interface RenderOptions {
  /** For an editor: each node's element says which node it is, and islands are not marked. */
  readonly canvas?: boolean;
  /** Whether islands are marked, as at publish; by default they are, save on a canvas. `store-api.md 4.12`. */
  readonly islands?: boolean;
  /** Notes where each node stands in the HTML. */
  readonly places?: boolean;
  /** What of a page it is, where that is not its main part: the element that it stands in. */
  readonly landmark?: 'header' | 'footer';
}

/**
 * Turns a resolved page into HTML and CSS. Pure: the same tree gives the same bytes everywhere. The HTML is in the
 * form that a browser's `innerHTML` gives back, so the n-th element of it is the n-th that was written: with `places`
 * it says which of them is whose, and nothing else differs.
 */
export function render(
  tree: ResolvedNode | undefined,
  options: RenderOptions & { places: true },
): RenderedWithPlaces;
export function render(tree: ResolvedNode | undefined, options?: RenderOptions): Rendered;
export function render(
  tree: ResolvedNode | undefined,
  { canvas = false, islands = !canvas, places = false, landmark }: RenderOptions = {},
): Rendered | RenderedWithPlaces {
  const writer = new Writer({
    isCanvas: canvas,
    marksIslands: islands,
    notesPlaces: places,
    isMain: landmark === undefined,
  });
  if (tree && landmark) writer.start(landmark, [['class', `wb-site-${landmark}`]]);
  if (tree) write(writer, tree);
  if (tree && landmark) writer.end(landmark);
  const rendered = { html: writer.html, css: writer.css.toString() };
  return writer.places ? { ...rendered, places: writer.places } : rendered;
}

/**
 * Writes a node and all below it, unless the page is full: a section that stands on it many times, or an article's body in
 * many elements, would make more of it than any process holds.
 */
export function write(writer: Writer, node: ResolvedNode): void {
  const place = writer.places && writer.noted(node);
  const isFull = writer.length >= limits.rendered;
  if (isFull || node.isGone || !Object.hasOwn(elementRenderers, node.type)) {
    if (place) noteHidden(writer, node.children);
    return;
  }
  let hasWrittenChildren = false;
  elementRenderers[node.type]!(
    writer,
    node,
    () => {
      hasWrittenChildren = true;
      for (const child of node.children) write(writer, child);
    },
    (child) => {
      hasWrittenChildren = true;
      write(writer, child);
    },
  );
  if (!place) return;
  writer.close(place);
  if (!hasWrittenChildren) noteHidden(writer, node.children);
}

/** Nodes that are not written, because what they stand in is not. */
function noteHidden(writer: Writer, nodes: readonly ResolvedNode[]): void {
  for (const node of nodes) {
    writer.noted(node);
    noteHidden(writer, node.children);
  }
}
