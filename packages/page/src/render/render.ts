import { limits } from '../model.ts';
import type { ResolvedNode } from '../resolved.ts';
import { elementRenderers } from './elements.ts';
import { Writer } from './writer.ts';

/** A page's own HTML and CSS, without the document around them. */
export interface Rendered {
  readonly html: string;
  readonly css: string;
}

/** A node's position in the HTML, so that an editor finds it without a mark in the page. */
export interface RenderedSpan {
  /** The node's `TreeNode.path`. */
  readonly path: string;
  /** For a list's copies of a node: the path of the node itself. */
  readonly original?: string;
  /**
   * Index, in document order and from 0, of the first element of the HTML that the node wrote: its own, or the link
   * around a picture. -1 if it wrote nothing.
   */
  readonly ordinal: number;
  /** Start and end of its outermost element in `html`, in UTF-16 units; equal if it wrote nothing. */
  readonly start: number;
  readonly end: number;
  /** Number of elements in that range. */
  readonly elements: number;
}

export interface RenderedWithSpans extends Rendered {
  /** One entry for every node of the tree, parents before children, shown or not. */
  readonly spans: readonly RenderedSpan[];
}

/**
 * Increases with every change of the rendered output, here or in the steps before. Services that keep rendered pages
 * use it to find those to render again.
 */
export const rendererVersion = 14;

export interface RenderOptions {
  /** For an editor: each node's element names its node, and islands are not marked. */
  readonly canvas?: boolean;
  /** Whether islands are marked, as in publishing. Default: true, except on a canvas (`store-api.md 4.12`). */
  readonly islands?: boolean;
  /** Whether to note where each node is in the HTML. */
  readonly spans?: boolean;
  /** The landmark that contains it, if it is not the main part of a page. */
  readonly landmark?: 'header' | 'footer';
}

/**
 * Renders a resolved page to HTML and CSS. Pure: the same tree gives the same bytes everywhere. The HTML has the form
 * that a browser's `innerHTML` returns, so its n-th element is the n-th that was written. With `spans` the result also
 * tells which node each element belongs to; nothing else differs.
 */
export function render(
  tree: ResolvedNode | undefined,
  options: RenderOptions & { spans: true },
): RenderedWithSpans;
export function render(tree: ResolvedNode | undefined, options?: RenderOptions): Rendered;
export function render(
  tree: ResolvedNode | undefined,
  { canvas = false, islands = !canvas, spans = false, landmark }: RenderOptions = {},
): Rendered | RenderedWithSpans {
  const writer = new Writer({
    isCanvas: canvas,
    marksIslands: islands,
    recordsSpans: spans,
    isMain: landmark === undefined,
  });
  if (tree && landmark) writer.start(landmark, [['class', `wb-site-${landmark}`]]);
  if (tree) writeNode(writer, tree);
  if (tree && landmark) writer.end(landmark);
  const rendered = { html: writer.html, css: writer.css.toString() };
  return writer.spans ? { ...rendered, spans: writer.spans } : rendered;
}

/**
 * Writes a node and its descendants, unless the page is full. A section that is used many times, or an article's body
 * in many elements, could otherwise grow beyond any memory.
 */
export function writeNode(writer: Writer, node: ResolvedNode): void {
  const span = writer.spans && writer.recordSpan(node);
  const isFull = writer.length >= limits.rendered;
  if (isFull || node.isGone || !Object.hasOwn(elementRenderers, node.type)) {
    if (span) recordHidden(writer, node.children);
    return;
  }
  let hasWrittenChildren = false;
  elementRenderers[node.type]!(
    writer,
    node,
    () => {
      hasWrittenChildren = true;
      for (const child of node.children) writeNode(writer, child);
    },
    (child) => {
      hasWrittenChildren = true;
      writeNode(writer, child);
    },
  );
  if (!span) return;
  writer.close(span);
  if (!hasWrittenChildren) recordHidden(writer, node.children);
}

/** Notes nodes that are not written because their parent is not. */
function recordHidden(writer: Writer, nodes: readonly ResolvedNode[]): void {
  for (const node of nodes) {
    writer.recordSpan(node);
    recordHidden(writer, node.children);
  }
}
