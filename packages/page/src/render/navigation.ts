import type { Item } from '../resolved.ts';
import type { ElementRenderer } from './primitives.ts';
import { linkAttributes, renderIcon, renderLinked } from './primitives.ts';
import type { Attributes, Writer } from './writer.ts';

/** Navigation elements. None of them can be inside a link. */
export const navigation: Readonly<Record<string, ElementRenderer>> = {
  menu(writer, node) {
    const { items, label, ariaLabel, closeText } = node.specials;
    if (writer.isIn('a') || (items.length === 0 && !node.island)) return;
    writer.start('nav', [...writer.own(node, 'wb-menu'), ['aria-label', ariaLabel ? undefined : label]]);
    if (writer.isIn('header') && items.length > 0) {
      renderFoldable(writer, writer.createId(node, 'panel'), { label, closeText }, () =>
        renderEntries(writer, items),
      );
    } else {
      renderEntries(writer, items);
    }
    writer.end('nav');
  },
  languageSwitch(writer, node) {
    const { label, ariaLabel } = node.specials;
    if (writer.isIn('a')) return;
    // The server fills it (`fillLanguages`), because the languages of a store are not part of a page.
    const name = ['aria-label', ariaLabel ? undefined : label] as const;
    writer.element('nav', [...writer.own(node, 'wb-languages'), name]);
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
      if (i < items.length - 1) renderLinked(writer, href, () => writer.text(text));
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
    renderIcon(writer, icon);
    writer.element('span', [['class', 'wb-cart-text']], text);
    // The shop's script writes the count here. Its room is reserved, so that the page does not shift.
    if (href) {
      writer.text(' ');
      writer.element('span', [['class', 'wb-cart-count']], '');
    }
    writer.end('a');
  },
  searchField(writer, node) {
    const { label, text, value, placeholder, href } = node.specials;
    if (writer.isIn('a', 'form')) return;
    const id = writer.createId(node, 'field');
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

/**
 * Writes content that a small screen shows as a panel over the page, opened by a button. It is a popover, which opens,
 * closes and manages the focus without a script. On a wide screen the style sheet shows it in place.
 */
function renderFoldable(
  writer: Writer,
  id: string,
  { label, closeText }: { label: string; closeText: string },
  inside: () => void,
): void {
  const button = (className: string, icon: string, own: Attributes) => {
    writer.start('button', [['class', className], ['type', 'button'], ['popovertarget', id], ...own]);
    renderIcon(writer, icon);
    writer.end('button');
  };
  button('wb-button wb-menu-open', 'menu', [['aria-label', label]]);
  writer.start('div', [
    ['class', 'wb-menu-panel'],
    ['id', id],
    ['popover', 'auto'],
  ]);
  const closeButton: Attributes = [
    ['popovertargetaction', 'hide'],
    ['aria-label', closeText],
  ];
  button('wb-button wb-menu-close', 'close', closeButton);
  inside();
  writer.end('div');
}

function renderEntries(writer: Writer, items: readonly Item[]): void {
  writer.start('ul', []);
  for (const { text, href, items: below } of items) {
    writer.start('li', []);
    if (href) renderLinked(writer, href, () => writer.text(text));
    else writer.element('span', [], text);
    if (below.length > 0) renderEntries(writer, below);
    writer.end('li');
  }
  writer.end('ul');
}
