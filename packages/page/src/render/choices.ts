import type { Choice, ChoiceGroup, ResolvedNode } from '../resolved.ts';
import { type ElementRenderer, linkAttributes, renderLinked } from './primitives.ts';
import type { Writer } from './writer.ts';

/** Elements for choosing products: forms and links, so that they need no script. */
export const choices: Readonly<Record<string, ElementRenderer>> = {
  productFilters(writer, node) {
    const { groups, items, sorting, inputs, label, text, title, caption, closeText, href, ariaLabel } =
      node.specials;
    if (writer.isIn('a', 'form') || (!sorting && !node.island)) return;
    writer.start('form', [
      ...writer.own(node, 'wb-filters'),
      ['method', 'get'],
      ['aria-label', ariaLabel ? undefined : label],
    ]);
    for (const [name, value] of inputs)
      writer.element('input', [
        ['type', 'hidden'],
        ['name', name],
        ['value', value],
      ]);
    if (sorting) {
      writer.start('div', [['class', 'wb-filters-bar']]);
      for (const [i, group] of groups.entries())
        renderFilterGroup(writer, writer.createId(node, `filter-${i}`), group);
      renderSortField(writer, writer.createId(node, 'sort'), sorting);
      const submit = [
        ['class', 'wb-button wb-button-secondary'],
        ['type', 'submit'],
      ] as const;
      writer.element('button', submit, text);
      writer.end('div');
    }
    if (items.length > 0) {
      writer.start('ul', [['class', 'wb-chosen']]);
      for (const item of items) {
        writer.start('li', []);
        writer.start('a', linkAttributes(item.href!));
        writer.element('span', [['class', 'wb-hidden']], `${caption}: `);
        writer.text(item.text);
        writer.end('a');
        writer.end('li');
      }
      if (href) {
        writer.start('li', []);
        writer.element('a', [['class', 'wb-clear'], ...linkAttributes(href)], closeText);
        writer.end('li');
      }
      writer.end('ul');
    }
    if (title !== '') {
      const total = [
        ['class', 'wb-filters-total'],
        ['role', 'status'],
      ] as const;
      writer.element('p', total, title);
    }
    writer.end('form');
  },
  categoryList(writer, node) {
    const { items, label, ariaLabel } = node.specials;
    if (writer.isIn('a') || (items.length === 0 && !node.island)) return;
    writer.start('nav', [
      ...writer.own(node, 'wb-category-list'),
      ['aria-label', ariaLabel ? undefined : label],
    ]);
    writer.start('ul', []);
    for (const { text, href } of items) {
      writer.start('li', []);
      renderLinked(writer, href, () => writer.text(text));
      writer.end('li');
    }
    writer.end('ul');
    writer.end('nav');
  },
};

/** Writes the values of one filter, collapsed until the visitor opens it. */
function renderFilterGroup(writer: Writer, id: string, { name, label, choices }: ChoiceGroup): void {
  const chosen = choices.filter(({ isChosen }) => isChosen).length;
  writer.start('details', [['class', 'wb-filter']]);
  writer.start('summary', []);
  writer.text(label);
  if (chosen > 0) writer.element('span', [['class', 'wb-filter-count']], ` (${chosen})`);
  writer.end('summary');
  writer.start('fieldset', []);
  writer.element('legend', [['class', 'wb-hidden']], label);
  for (const [i, choice] of choices.entries()) {
    writer.start('div', [['class', 'wb-checkbox']]);
    writer.element('input', [
      ['id', `${id}-${i}`],
      ['type', 'checkbox'],
      ['name', name],
      ['value', choice.value],
      ['checked', choice.isChosen],
    ]);
    writer.start('label', [['for', `${id}-${i}`]]);
    writer.text(choice.label);
    if (choice.note !== '') writer.element('span', [['class', 'wb-filter-count']], ` (${choice.note})`);
    writer.end('label');
    writer.end('div');
  }
  writer.end('fieldset');
  writer.end('details');
}

function renderSortField(writer: Writer, id: string, { name, label, choices }: ChoiceGroup): void {
  writer.start('div', [['class', 'wb-field wb-sort']]);
  writer.element('label', [['for', id]], label);
  writer.start('select', [
    ['id', id],
    ['name', name],
  ]);
  for (const { value, label: text, isChosen } of choices)
    writer.element(
      'option',
      [
        ['value', value],
        ['selected', isChosen],
      ],
      text,
    );
  writer.end('select');
  writer.end('div');
}

/** Writes the options of a product, each value as a link that chooses it. */
export function writeOptions(writer: Writer, node: ResolvedNode): void {
  if (writer.isIn('a')) return;
  writer.start('div', writer.own(node, 'wb-options', 'group'));
  for (const [i, { name, label, choices: values }] of node.specials.groups.entries()) {
    const id = writer.createId(node, `option-${i}`);
    writer.start('div', [
      ['class', 'wb-option-group'],
      ['role', 'group'],
      ['aria-labelledby', id],
    ]);
    writer.start('p', [['id', id]]);
    writer.element('strong', [], name);
    writer.text(` ${label}`);
    writer.end('p');
    writer.start('ul', []);
    for (const value of values) renderOption(writer, value);
    writer.end('ul');
    writer.end('div');
  }
  writer.end('div');
}

function renderOption(writer: Writer, { label, note, isChosen, isOff, href, src }: Choice): void {
  writer.start('li', []);
  writer.start('a', [
    ['class', `wb-option${isOff ? ' wb-option-off' : ''}${src ? ' wb-option-picture' : ''}`],
    ['href', href!.url],
    ['rel', 'nofollow'],
    ['aria-current', isChosen ? 'true' : undefined],
    ['title', src ? label : undefined],
  ]);
  if (src) {
    const small = src.sources[0]?.url ?? src.url;
    writer.element('img', [
      ['src', small],
      ['width', 56],
      ['height', 56],
      ['alt', label],
      ['loading', 'lazy'],
    ]);
  } else writer.text(label);
  if (note !== '') writer.element('span', [['class', 'wb-hidden']], ` (${note})`);
  writer.end('a');
  writer.end('li');
}
