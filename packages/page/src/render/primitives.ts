import type { Link, ResolvedNode } from '../resolved.ts';
import { iconPaths } from './icons.ts';
import type { Attributes, Writer } from './writer.ts';

/** Writes one element; `children` writes its content, `one` a single child. */
export type ElementRenderer = (
  writer: Writer,
  node: ResolvedNode,
  children: () => void,
  one: (child: ResolvedNode) => void,
) => void;

/** Writes one of the vocabulary's icons. */
export function renderIcon(writer: Writer, icon: string): void {
  const path = Object.hasOwn(iconPaths, icon) ? iconPaths[icon] : undefined;
  if (path === undefined) return;
  writer.start('svg', [
    ['viewBox', '0 0 24 24'],
    ['aria-hidden', 'true'],
    ['focusable', 'false'],
  ]);
  writer.element('path', [['d', path]]);
  writer.end('svg');
}

/** Writes the output of `renderContent`, wrapped in a link if one is given and none is open. */
export function renderLinked(writer: Writer, href: Link | undefined, renderContent: () => void): void {
  if (!href || writer.isIn('a')) {
    renderContent();
    return;
  }
  writer.start('a', linkAttributes(href));
  renderContent();
  writer.end('a');
}

/** Returns the attributes of a link. */
export function linkAttributes({ url, newTab }: Link): Attributes {
  return [
    ['href', url],
    ['target', newTab ? '_blank' : undefined],
    ['rel', newTab ? 'noopener' : undefined],
  ];
}
