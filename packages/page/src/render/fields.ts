import { formSentId, honeypotName } from '../forms.ts';
import type { Option, ResolvedNode } from '../resolved.ts';
import { writeOptions } from './choices.ts';
import type { ElementRenderer } from './primitives.ts';
import type { Attributes, Writer } from './writer.ts';

/** The id of the one form through which everything on a page is put into the cart; it is at the page's end. */
export const buyingForm = 'wb-buy';

/** Maximum quantity of a variant in an order. */
const maxQuantity = 999;

/** Forms and their controls. Every control has a label of its own. */
export const fields: Readonly<Record<string, ElementRenderer>> = {
  form(writer, node, children) {
    const { name, action, formName, label, text } = node.specials;
    // A form within a form, which only a reference can cause, becomes an ordinary box.
    const isInner = writer.isIn('form');
    const tag = isInner ? 'div' : 'form';
    writer.start(tag, [
      ...writer.own(node, 'wb-form', isInner ? 'group' : undefined),
      ...(isInner
        ? []
        : ([
            ['name', name || undefined],
            ['action', action || undefined],
            // Without an action the form submits nowhere; a script of the page may handle it.
            ['method', action ? 'post' : 'dialog'],
          ] as const)),
    ]);
    children();
    if (!isInner && action !== '' && !writer.isIn('a')) {
      renderHoneypot(writer, writer.createId(node, 'empty'), label);
      const sent = [
        ['class', 'wb-form-sent'],
        ['id', writer.anchor(formSentId(formName))],
        ['role', 'status'],
      ] as const;
      writer.element('p', sent, text);
    }
    writer.end(tag);
  },
  field(writer, node) {
    const { label, name, inputType, placeholder, value, required, problem } = node.specials;
    if (writer.isIn('a')) return;
    const id = writer.createId(node, 'field');
    writer.start('div', writer.own(node, 'wb-field', 'group'));
    writer.element('label', [['for', id]], label || name);
    const isLong = inputType === 'textarea';
    const attributes = [
      ['id', id],
      ['type', isLong ? undefined : inputType || 'text'],
      ['name', name],
      ['rows', isLong ? 5 : undefined],
      ['value', isLong ? undefined : value || undefined],
      // Without this attribute a browser accepts only whole numbers.
      ['step', inputType === 'number' ? 'any' : undefined],
      ['placeholder', placeholder || undefined],
      ['autocomplete', autocompletes[inputType]],
      ['required', required],
      ...errorAttributes(writer, id, problem),
    ] as const;
    // A parser drops a leading line break in a `textarea`.
    if (isLong) writer.element('textarea', attributes, value.replace(/^\n+/, ''));
    else writer.element('input', attributes);
    renderReason(writer, id, problem);
    writer.end('div');
  },
  select(writer, node) {
    const { label, name, options, placeholder, required, problem } = node.specials;
    const first = placeholder ? [{ value: '', label: placeholder, disabled: false }] : [];
    renderChoices(writer, node, 'wb-field', label || name, name, [...first, ...options], {
      required,
      problem,
    });
  },
  variantPicker(writer, node) {
    const { label, options, groups, productId } = node.specials;
    if (groups.length > 0) return writeOptions(writer, node);
    if (options.length === 0 && !node.island) return;
    // Inside one of the page's own forms the control belongs to that form.
    const isBuying = productId !== '' && !writer.isIn('form');
    const name = isBuying ? `variant-${productId}` : 'variant';
    const form = isBuying ? buyingForm : undefined;
    renderChoices(writer, node, 'wb-field wb-variant-picker', label, name, options, { form });
  },
  quantityField(writer, node) {
    const { label, productId } = node.specials;
    if (writer.isIn('a') || (productId === '' && !node.island)) return;
    const id = writer.createId(node, 'field');
    writer.start('div', writer.own(node, 'wb-field wb-quantity', 'group'));
    writer.element('label', [['for', id]], label);
    writer.element('input', [
      ['id', id],
      ['type', 'number'],
      ['name', `quantity-${productId}`],
      ['form', buyingForm],
      ['value', 1],
      ['min', 1],
      ['max', maxQuantity],
      ['inputmode', 'numeric'],
    ]);
    writer.end('div');
  },
  checkbox(writer, node) {
    const { label, name, value, required, checked, problem } = node.specials;
    if (writer.isIn('a')) return;
    const id = writer.createId(node, 'field');
    writer.start('div', writer.own(node, 'wb-field wb-checkbox', 'group'));
    writer.element('input', [
      ['id', id],
      ['type', 'checkbox'],
      ['name', name],
      ['value', value],
      ['checked', checked],
      ['required', required],
      ...errorAttributes(writer, id, problem),
    ]);
    writer.element('label', [['for', id]], label || name);
    renderReason(writer, id, problem);
    writer.end('div');
  },
};

/** Writes a field that people are told to leave empty; a bot that fills in every field fills in this one. */
function renderHoneypot(writer: Writer, id: string, label: string): void {
  writer.start('div', [['class', 'wb-hidden']]);
  writer.element('label', [['for', id]], label);
  writer.element('input', [
    ['id', id],
    ['type', 'text'],
    ['name', honeypotName],
    ['tabindex', -1],
    ['autocomplete', 'off'],
  ]);
  writer.end('div');
}

/** Returns the attributes of a field with an invalid value. The first one of a page gets the focus. */
const errorAttributes = (writer: Writer, id: string, problem: string | undefined): Attributes =>
  problem
    ? [
        ['aria-invalid', 'true'],
        ['aria-describedby', `${id}-problem`],
        ['autofocus', writer.takesFocus()],
      ]
    : [];

function renderReason(writer: Writer, id: string, problem: string | undefined): void {
  if (!problem) return;
  writer.element(
    'p',
    [
      ['class', 'wb-problem'],
      ['id', `${id}-problem`],
    ],
    problem,
  );
}

const autocompletes: Readonly<Record<string, string>> = { email: 'email', tel: 'tel', url: 'url' };

function renderChoices(
  writer: Writer,
  node: ResolvedNode,
  className: string,
  label: string,
  name: string,
  options: readonly Option[],
  {
    required = false,
    problem = '',
    form,
  }: { required?: boolean; problem?: string; form?: string | undefined },
): void {
  if (writer.isIn('a')) return;
  const id = writer.createId(node, 'field');
  writer.start('div', writer.own(node, className, 'group'));
  writer.element('label', [['for', id]], label);
  writer.start('select', [
    ['id', id],
    ['name', name],
    ['form', form],
    ['required', required],
    ...errorAttributes(writer, id, problem),
  ]);
  for (const option of options) {
    const attributes = [
      ['value', option.value],
      ['disabled', option.disabled],
      ['selected', option.selected],
    ] as const;
    writer.element('option', attributes, option.label);
  }
  writer.end('select');
  renderReason(writer, id, problem);
  writer.end('div');
}
