import type { Item, ResolvedNode } from '../resolved.ts';
import type { ElementRenderer } from './primitives.ts';
import type { Writer } from './writer.ts';

/** Lists that repeat their child for each item. */
export const lists: Readonly<Record<string, ElementRenderer>> = {
  productList: renderRepeated('wb-product-list'),
  articleList: renderRepeated('wb-article-list'),
};

function renderRepeated(className: string): ElementRenderer {
  return (writer, node, _children, one) => {
    const { emptyText } = node.specials;
    // A card contains buttons and links of its own.
    if (writer.isIn('a')) return;
    if (node.children.length === 0 && !node.island) {
      if (emptyText) writer.element('p', writer.own(node, 'wb-text wb-empty', 'group'), emptyText);
      return;
    }
    const { previous, next } = node.specials;
    const isPaged = previous !== undefined || next !== undefined;
    // A node must be a single element, and a list may contain only its items.
    if (isPaged) writer.start('div', [['class', 'wb-paged']]);
    writer.start('ul', writer.own(node, className));
    for (const child of node.children) {
      writer.start('li', []);
      one(child);
      writer.end('li');
    }
    writer.end('ul');
    if (!isPaged) return;
    renderPager(writer, node);
    writer.end('div');
  };
}

/** Writes links to the adjacent pages. */
function renderPager(writer: Writer, { specials: { label, previous, next } }: ResolvedNode): void {
  writer.start('nav', [
    ['class', 'wb-pager'],
    ['aria-label', label],
  ]);
  const link = (rel: string, item: Item | undefined) => {
    if (!item) return;
    writer.element(
      'a',
      [
        ['class', `wb-button wb-button-secondary wb-${rel}`],
        ['href', item.href!.url],
        ['rel', rel],
      ],
      item.text,
    );
  };
  link('prev', previous);
  link('next', next);
  writer.end('nav');
}
