import type { Option, ResolvedNode } from '../resolved.ts';
import type { ElementRenderer } from './elements.ts';
import type { Writer } from './writer.ts';

/** The id of the one form of a page that everything on it is put into the cart by; it stands at the page's end. */
export const buyingForm = 'wb-buy';

/** Forms and what stands in them. Every control has a label of its own. */
export const fields: Readonly<Record<string, ElementRenderer>> = {
  form(writer, node, children) {
    const { name, href } = node.specials;
    // A form in a form, which only a reference can bring, is an ordinary box.
    const isInner = writer.isIn('form');
    const tag = isInner ? 'div' : 'form';
    writer.start(tag, [
      ...writer.own(node, 'wb-form', isInner ? 'group' : undefined),
      ...(isInner
        ? []
        : ([
            ['name', name || undefined],
            ['action', href?.url],
            // Without an action it submits nowhere: a script of the page listens to it.
            ['method', href ? 'post' : 'dialog'],
          ] as const)),
    ]);
    children();
    writer.end(tag);
  },
  field(writer, node) {
    const { label, name, inputType, placeholder, value, required } = node.specials;
    if (writer.isIn('a')) return;
    const id = writer.idOf(node, 'field');
    writer.start('div', writer.own(node, 'wb-field', 'group'));
    writer.element('label', [['for', id]], label || name);
    const isLong = inputType === 'textarea';
    writer.element(isLong ? 'textarea' : 'input', [
      ['id', id],
      ['type', isLong ? undefined : inputType || 'text'],
      ['name', name],
      ['rows', isLong ? 5 : undefined],
      ['value', isLong ? undefined : value || undefined],
      ['placeholder', placeholder || undefined],
      ['autocomplete', autocompletes[inputType]],
      ['required', required],
    ]);
    writer.end('div');
  },
  select(writer, node) {
    const { label, name, options, placeholder, required } = node.specials;
    const first = placeholder ? [{ value: '', label: placeholder, disabled: false }] : [];
    choices(writer, node, 'wb-field', label || name, name, [...first, ...options], required);
  },
  variantPicker(writer, node) {
    const { label, options, productId } = node.specials;
    if (options.length === 0 && !node.island) return;
    // In a form of the page's own it is that form's.
    const isBuying = productId !== '' && !writer.isIn('form');
    const name = isBuying ? `variant-${productId}` : 'variant';
    const form = isBuying ? buyingForm : undefined;
    choices(writer, node, 'wb-field wb-variant-picker', label, name, options, false, form);
  },
  checkbox(writer, node) {
    const { label, name, value, required, checked } = node.specials;
    if (writer.isIn('a')) return;
    const id = writer.idOf(node, 'field');
    writer.start('div', writer.own(node, 'wb-field wb-checkbox', 'group'));
    writer.element('input', [
      ['id', id],
      ['type', 'checkbox'],
      ['name', name],
      ['value', value],
      ['checked', checked],
      ['required', required],
    ]);
    writer.element('label', [['for', id]], label || name);
    writer.end('div');
  },
};

const autocompletes: Readonly<Record<string, string>> = { email: 'email', tel: 'tel', url: 'url' };

function choices(
  writer: Writer,
  node: ResolvedNode,
  className: string,
  label: string,
  name: string,
  options: readonly Option[],
  required: boolean,
  form?: string,
): void {
  if (writer.isIn('a')) return;
  const id = writer.idOf(node, 'field');
  writer.start('div', writer.own(node, className, 'group'));
  writer.element('label', [['for', id]], label);
  writer.start('select', [
    ['id', id],
    ['name', name],
    ['form', form],
    ['required', required],
  ]);
  for (const option of options) {
    const attributes = [
      ['value', option.value],
      ['disabled', option.disabled],
    ] as const;
    writer.element('option', attributes, option.label);
  }
  writer.end('select');
  writer.end('div');
}
