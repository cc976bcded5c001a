import type { ResolvedNode } from '../resolved.ts';
import { elementRenderers } from './elements.ts';
import { Writer } from './writer.ts';

/** A page's own HTML and CSS, without the document around them. */
export interface Rendered {
  readonly html: string;
  readonly css: string;
}

/**
 * Grows with every change of what a page becomes, here or in the steps before: who keeps rendered pages tells by it
 * which ones to render again.
 */
export const rendererVersion = 5;

export interface RenderOptions {
  /** For an editor: each node's element says which node it is, and islands are not marked. */
  readonly canvas?: boolean;
  /** What of a page it is, where that is not its main part: the element that it stands in. */
  readonly landmark?: 'header' | 'footer';
}

/**
 * Turns a resolved page into HTML and CSS. Pure: the same tree gives the same bytes everywhere. The HTML is in the
 * form that a browser's `innerHTML` gives back.
 */
export function render(
  tree: ResolvedNode | undefined,
  { canvas = false, landmark }: RenderOptions = {},
): Rendered {
  const writer = new Writer(canvas);
  if (tree && landmark) writer.start(landmark, [['class', `wb-site-${landmark}`]]);
  if (tree) write(writer, tree);
  if (tree && landmark) writer.end(landmark);
  return { html: writer.html, css: writer.css.toString() };
}

/** Writes a node and all below it. */
export function write(writer: Writer, node: ResolvedNode): void {
  if (node.isGone || !Object.hasOwn(elementRenderers, node.type)) return;
  elementRenderers[node.type]!(
    writer,
    node,
    () => {
      for (const child of node.children) write(writer, child);
    },
    (child) => write(writer, child),
  );
}
