import { isCleanText } from '../text.ts';
import { safeUrl } from '../url.ts';
import type { ValueType } from '../vocabulary/types.ts';
import { below, isObject } from './pointer.ts';
import type { Report } from './report.ts';
import { checkRichText } from './rich-text.ts';

const patterns = new Map<string, RegExp>();

/** Compiles each of the vocabulary's patterns, which are data, only once. */
function matches(pattern: string, value: string): boolean {
  let compiled = patterns.get(pattern);
  if (!compiled) {
    compiled = new RegExp(pattern, 'u');
    patterns.set(pattern, compiled);
  }
  return compiled.test(value);
}

/** Reports all reasons why a value is not of a type. */
export function checkValue(type: ValueType, value: unknown, pointer: string, report: Report): void {
  if (type.anyOf) {
    checkAlternatives(type.anyOf, value, pointer, report);
    return;
  }
  if (type.const !== undefined && value !== type.const) {
    report(pointer, `must be "${type.const}"`);
    return;
  }
  if (type.enum && !type.enum.includes(value as string)) {
    report(pointer, `must be one of ${type.enum.join(', ')}`);
    return;
  }
  switch (type.type) {
    case 'string':
      checkString(type, value, pointer, report);
      return;
    case 'number':
    case 'integer':
      checkNumber(type, value, pointer, report);
      return;
    case 'boolean':
      if (typeof value !== 'boolean') report(pointer, 'must be true or false');
      return;
    case 'array':
      checkArray(type, value, pointer, report);
      return;
    case 'object':
      checkObject(type, value, pointer, report);
  }
}

/** Whether a value is of a type. */
export function isOfType(type: ValueType, value: unknown): boolean {
  let isValid = true;
  checkValue(type, value, '', () => {
    isValid = false;
  });
  return isValid;
}

/** Reports a value that fits no alternative against the one that was probably meant, as told by its `type`. */
function checkAlternatives(
  alternatives: readonly ValueType[],
  value: unknown,
  pointer: string,
  report: Report,
): void {
  if (alternatives.some((each) => isOfType(each, value))) return;
  const matching = alternatives.filter(({ type, properties }) =>
    isObject(value)
      ? type === 'object' && (properties?.type === undefined || properties.type.const === value.type)
      : Array.isArray(value)
        ? type === 'array'
        : type === typeof value || (type === 'integer' && typeof value === 'number'),
  );
  if (matching.length === 1) checkValue(matching[0]!, value, pointer, report);
  else report(pointer, 'is not a value that can stand here');
}

function checkString(type: ValueType, value: unknown, pointer: string, report: Report): void {
  if (typeof value !== 'string') {
    report(pointer, 'must be a string');
    return;
  }
  if (value.length > (type.maxLength ?? Number.POSITIVE_INFINITY)) {
    report(pointer, `must have at most ${type.maxLength} characters`);
  } else if (value.length < (type.minLength ?? 0)) {
    report(pointer, `must have at least ${type.minLength} characters`);
  } else if (!isCleanText(value)) {
    report(pointer, 'must not hold control characters or lone surrogates');
  } else if (type.pattern !== undefined && !matches(type.pattern, value)) {
    report(pointer, type.kind ? `is no ${type.kind} that can stand here` : `must match ${type.pattern}`);
  } else if (type.format === 'url' && safeUrl(value) === undefined) {
    report(pointer, 'must be a URL with http, https, mailto or tel, or without a scheme');
  }
}

function checkNumber(type: ValueType, value: unknown, pointer: string, report: Report): void {
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    report(pointer, 'must be a number');
    return;
  }
  if (type.type === 'integer' && !Number.isInteger(value)) report(pointer, 'must be a whole number');
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = type;
  if (value < minimum || value > maximum) report(pointer, `must be between ${minimum} and ${maximum}`);
}

function checkArray(type: ValueType, value: unknown, pointer: string, report: Report): void {
  if (!Array.isArray(value)) {
    report(pointer, 'must be an array');
    return;
  }
  const { maxItems = Number.POSITIVE_INFINITY } = type;
  if (value.length > maxItems) {
    report(pointer, `must have at most ${maxItems} items`);
    return;
  }
  for (const [i, item] of value.entries()) {
    if (type.items) checkValue(type.items, item, below(pointer, i), report);
  }
}

function checkObject(type: ValueType, value: unknown, pointer: string, report: Report): void {
  if (!isObject(value)) {
    report(pointer, 'must be an object');
    return;
  }
  if (type.richText) {
    checkRichText({ rules: type.richText, checkValue, report }, value, pointer);
    return;
  }
  for (const name of type.required ?? []) {
    if (!Object.hasOwn(value, name)) report(below(pointer, name), 'is required');
  }
  for (const [name, property] of Object.entries(type.properties ?? {})) {
    if (Object.hasOwn(value, name)) checkValue(property, value[name], below(pointer, name), report);
  }
}
