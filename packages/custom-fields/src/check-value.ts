import {
  type CustomField,
  type CustomFieldType,
  type CustomFieldValue,
  customFieldLimits,
  hasVisibleCharacter,
  idPattern,
  parseWebAddress,
} from '@waybill/contracts';
import { extractHtmlText, sanitiseHtml } from '@waybill/html';
import { parseInstant } from '@waybill/kernel';
import { boundsKind } from './definitions.ts';
import { compilePattern } from './patterns.ts';

/** A value in its stored form, or the problem with it. */
export type CheckedValue = { value: CustomFieldValue } | { problem: string; item?: number };

type Definition = Pick<CustomField, 'type' | 'options' | 'rules'>;

const mediaId = new RegExp(idPattern('mediaAsset'));
const productId = new RegExp(idPattern('product'));
const color = /^#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i;
const calendarDate = /^\d{4}-\d\d-\d\d$/;

/** Counts characters as a person would, except for combining marks; JSON Schema counts the same way. */
const countCharacters = (text: string): number => {
  let length = 0;
  for (const _ of text) length++;
  return length;
};

const text = (value: unknown, most: number): CheckedValue => {
  if (typeof value !== 'string') return { problem: 'must be a text' };
  if (!value.isWellFormed()) return { problem: 'must be valid Unicode' };
  return countCharacters(value) <= most ? { value } : { problem: `must have at most ${most} characters` };
};

const texts = (value: unknown, each: (item: unknown) => CheckedValue): CheckedValue => {
  if (!Array.isArray(value)) return { problem: 'must be a list of texts' };
  for (const [item, one] of value.entries()) {
    const checked = each(one);
    if ('problem' in checked) return { problem: checked.problem, item };
  }
  return { value: value as string[] };
};

const choice = (value: unknown, options: readonly string[]): CheckedValue =>
  typeof value === 'string' && options.includes(value) ? { value } : { problem: 'is none of the choices' };

function isWebAddress(value: string): boolean {
  return !/[\s\p{Cc}"<>\\^`{|}]/u.test(value) && parseWebAddress(value) !== null;
}

/** The checks of each type, which come before the rules of a definition. */
const checks: Readonly<Record<CustomFieldType, (value: unknown, definition: Definition) => CheckedValue>> = {
  text: (value) => text(value, customFieldLimits.text),
  longText: (value) => text(value, customFieldLimits.longText),
  richText(value) {
    const given = text(value, customFieldLimits.longText);
    return 'problem' in given ? given : text(sanitiseHtml(String(given.value)), customFieldLimits.longText);
  },
  integer: (value) =>
    Number.isSafeInteger(value) ? { value: value as number } : { problem: 'must be a whole number' },
  decimal: (value) =>
    typeof value === 'number' && Number.isFinite(value) ? { value } : { problem: 'must be a number' },
  boolean: (value) => (typeof value === 'boolean' ? { value } : { problem: 'must be true or false' }),
  date: (value) =>
    typeof value === 'string' && calendarDate.test(value) && parseInstant(value) !== null
      ? { value }
      : { problem: 'must be a date, as in 2026-11-26' },
  instant(value) {
    const instant = typeof value === 'string' && !calendarDate.test(value) ? parseInstant(value) : null;
    return instant
      ? { value: instant.toISOString() }
      : { problem: 'must be an instant with a time zone, as RFC 3339 writes it' };
  },
  url(value) {
    const given = text(value, customFieldLimits.url);
    if ('problem' in given) return given;
    return isWebAddress(String(value))
      ? given
      : { problem: 'must be a web address: http or https, without credentials' };
  },
  color: (value) =>
    typeof value === 'string' && color.test(value)
      ? { value }
      : { problem: 'must be a colour, as in #c0ffee' },
  select: (value, { options }) => choice(value, options),
  multiSelect(value, { options }) {
    const given = texts(value, (item) => choice(item, options));
    if ('problem' in given) return given;
    const chosen = given.value as string[];
    const item = chosen.findIndex((one, i) => chosen.indexOf(one) < i);
    return item < 0 ? given : { problem: 'is chosen twice', item };
  },
  media: (value) =>
    typeof value === 'string' && mediaId.test(value) ? { value } : { problem: 'is no media of this store' },
  product: (value) =>
    typeof value === 'string' && productId.test(value)
      ? { value }
      : { problem: 'is not a product of this store' },
  list(value) {
    const given = texts(value, (item) => text(item, customFieldLimits.text));
    if ('problem' in given || (given.value as string[]).length <= customFieldLimits.listItems) return given;
    return { problem: `must have at most ${customFieldLimits.listItems} texts` };
  },
};

/**
 * Checks a value by its definition (`decisions.md 20.4`). Does not check whether media and products exist; callers that
 * can look them up do. Returns the value in its stored form; checking that again leaves it unchanged.
 */
export function checkValue(definition: Definition, value: unknown): CheckedValue {
  const { type, rules } = definition;
  const checked = checks[type](value, definition);
  if ('problem' in checked) return checked;
  const kind = boundsKind(type);
  const size = kind === 'number' ? (checked.value as number) : kind && measureValue(checked.value);
  if (size !== undefined) {
    const what = kind === 'number' ? 'be' : 'have a length of';
    if (rules.min !== null && size < rules.min) return { problem: `must ${what} at least ${rules.min}` };
    if (rules.max !== null && size > rules.max) return { problem: `must ${what} at most ${rules.max}` };
  }
  if (rules.pattern === null) return checked;
  const expression = compilePattern(rules.pattern);
  const all = Array.isArray(checked.value) ? checked.value : [String(checked.value)];
  const item = all.findIndex((one) => !expression?.matcher(one).find());
  if (item < 0) return checked;
  return { problem: 'does not match the pattern', ...(Array.isArray(checked.value) && { item }) };
}

const measureValue = (value: CustomFieldValue): number =>
  Array.isArray(value) ? value.length : countCharacters(String(value));

/** Whether a stored value shows nothing, like that of a form field that nobody filled in. */
export function isEmptyValue(type: CustomFieldType, value: CustomFieldValue): boolean {
  if (Array.isArray(value)) return !value.some(hasVisibleCharacter);
  if (typeof value !== 'string') return false;
  return type === 'richText' ? isEmptyHtml(value) : !hasVisibleCharacter(value);
}

/** Tags of elements that show something without text. Sanitised HTML has no other "<". */
const pictures = ['<img', '<iframe'];

const isEmptyHtml = (html: string): boolean =>
  !pictures.some((tag) => html.includes(tag)) && !hasVisibleCharacter(extractHtmlText(html));
