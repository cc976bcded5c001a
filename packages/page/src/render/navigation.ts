import type { Item } from '../resolved.ts';
import type { ElementRenderer } from './primitives.ts';
import { drawing, linkAttributes, withLink } from './primitives.ts';
import type { Writer } from './writer.ts';

/** How visitors find their way. None of it can stand in a link. */
export const navigation: Readonly<Record<string, ElementRenderer>> = {
  menu(writer, node) {
    const { items, label, ariaLabel } = node.specials;
    if (writer.isIn('a') || (items.length === 0 && !node.island)) return;
    writer.start('nav', [...writer.own(node, 'wb-menu'), ['aria-label', ariaLabel ? undefined : label]]);
    entries(writer, items);
    writer.end('nav');
  },
  breadcrumbs(writer, node) {
    const { items, label, ariaLabel } = node.specials;
    // A trail of one step leads nowhere.
    if (writer.isIn('a') || (items.length < 2 && !node.island)) return;
    writer.start('nav', [
      ...writer.own(node, 'wb-breadcrumbs'),
      ['aria-label', ariaLabel ? undefined : label],
    ]);
    writer.start('ol', []);
    for (const [i, { text, href }] of items.entries()) {
      writer.start('li', []);
      if (i < items.length - 1) withLink(writer, href, () => writer.text(text));
      else writer.element('span', [['aria-current', 'page']], text);
      writer.end('li');
    }
    writer.end('ol');
    writer.end('nav');
  },
  cartButton(writer, node) {
    const { text, icon, href } = node.specials;
    if (writer.isIn('a') || (!href && !node.island)) return;
    writer.start('a', [
      ...writer.own(node, 'wb-button wb-button-plain wb-cart-button', href ? undefined : 'group'),
      ...(href ? linkAttributes(href) : []),
    ]);
    drawing(writer, icon);
    writer.text(text);
    // The shop's script puts the count here: its room is kept, so nothing of the page moves then.
    if (href) {
      writer.text(' ');
      writer.element('span', [['class', 'wb-cart-count']], '');
    }
    writer.end('a');
  },
  searchField(writer, node) {
    const { label, text, value, placeholder, href } = node.specials;
    if (writer.isIn('a', 'form')) return;
    const id = writer.idOf(node, 'field');
    writer.start('form', [
      ...writer.own(node, 'wb-search'),
      ['action', href?.url],
      ['method', 'get'],
      ['role', 'search'],
    ]);
    writer.element(
      'label',
      [
        ['class', 'wb-hidden'],
        ['for', id],
      ],
      label,
    );
    writer.element('input', [
      ['id', id],
      ['type', 'search'],
      ['name', 'q'],
      ['value', value || undefined],
      ['placeholder', placeholder || undefined],
      ['maxlength', 200],
    ]);
    writer.element(
      'button',
      [
        ['class', 'wb-button wb-button-secondary'],
        ['type', 'submit'],
      ],
      text,
    );
    writer.end('form');
  },
};

function entries(writer: Writer, items: readonly Item[]): void {
  writer.start('ul', []);
  for (const { text, href, items: below } of items) {
    writer.start('li', []);
    if (href) withLink(writer, href, () => writer.text(text));
    else writer.element('span', [], text);
    if (below.length > 0) entries(writer, below);
    writer.end('li');
  }
  writer.end('ul');
}
