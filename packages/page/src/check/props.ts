import { breakpoints, type Target } from '../model.ts';
import type { ElementType, ValueType, Vocabulary } from '../vocabulary/types.ts';
import { below, isObject } from './pointer.ts';
import type { Report } from './report.ts';
import { suggestion } from './suggest.ts';
import { checkValue } from './values.ts';

/** Keys that make a node a block reference; they are removed from an app's block before use. */
const referenceKeys = new Set(['appId', 'blockKey', 'settings']);

/**
 * Checks `{ style?, config?, specials? }`: each key must exist on the element and each value have its type; `null` is
 * allowed everywhere. Without an element, as for a block's settings before they are applied to one, each key must
 * merely be known.
 */
export function checkNamespaces(
  vocabulary: Vocabulary,
  element: ElementType | undefined,
  props: Record<string, unknown>,
  pointer: string,
  report: Report,
): void {
  for (const target of ['style', 'config'] as const) {
    const value = props[target];
    if (value === undefined) continue;
    const targetPointer = below(pointer, target);
    if (!isObject(value)) {
      report(targetPointer, 'must be an object');
      continue;
    }
    for (const [breakpoint, values] of Object.entries(value)) {
      if (!(breakpoints as readonly string[]).includes(breakpoint)) {
        report(below(targetPointer, breakpoint), `is no breakpoint: ${breakpoints.join(', ')}`);
      } else if (values !== null) {
        checkKeys(vocabulary, element, target, values, below(targetPointer, breakpoint), report);
      }
    }
  }
  if (props.specials === undefined) return;
  checkKeys(vocabulary, element, 'specials', props.specials, below(pointer, 'specials'), report);
}

/** Returns the type of a key if it can be set; otherwise undefined. */
export function findValueType(
  { writeKeys }: Vocabulary,
  element: ElementType | undefined,
  target: Target,
  key: string,
): ValueType | undefined {
  if (!Object.hasOwn(writeKeys[target], key)) return undefined;
  if (element && !hasKey(element, target, key)) return undefined;
  return (target === 'specials' && element?.specials[key]?.type) || writeKeys[target][key];
}

function hasKey(
  { style, config, specials, documentOnly }: ElementType,
  target: Target,
  key: string,
): boolean {
  // Any element may name the product that it shows and takes app values from; resolving uses it.
  if (target === 'specials') return Object.hasOwn(specials, key) || (key === 'productId' && !documentOnly);
  return target === 'config' ? config.includes(key) : (style?.includes(key) ?? true);
}

function checkKeys(
  vocabulary: Vocabulary,
  element: ElementType | undefined,
  target: Target,
  values: unknown,
  pointer: string,
  report: Report,
): void {
  if (!isObject(values)) {
    report(pointer, 'must be an object');
    return;
  }
  for (const [key, value] of Object.entries(values)) {
    const type = findValueType(vocabulary, element, target, key);
    if (!type) {
      const all = vocabulary.writeKeys[target];
      const message = Object.hasOwn(all, key) ? `is no ${target} key of this element` : `is no ${target} key`;
      const own = () => Object.keys(all).filter((each) => findValueType(vocabulary, element, target, each));
      report(below(pointer, key), message, () => suggestion(key, own()));
    } else if (value !== null) checkValue(type, value, below(pointer, key), report);
  }
}

/**
 * Checks a manifest node's bindings: each needs a source `app.<key>` and a field that the element allows to be filled.
 */
export function checkBindings(
  element: ElementType | undefined,
  bindings: unknown,
  pointer: string,
  report: Report,
): void {
  if (bindings === undefined) return;
  if (!Array.isArray(bindings)) {
    report(pointer, 'must be an array');
    return;
  }
  for (const [i, binding] of bindings.entries()) {
    const entryPointer = below(pointer, i);
    if (!isObject(binding)) {
      report(entryPointer, 'must be an object');
      continue;
    }
    const { source, field } = binding;
    if (typeof source !== 'string' || !/^app\.[a-z0-9][a-z0-9._-]{0,63}$/.test(source)) {
      report(below(entryPointer, 'source'), 'must be app.<key> with the key of an app-data value');
    }
    if (typeof field !== 'string') report(below(entryPointer, 'field'), 'must be a string');
    else if (element && !element.bindable.includes(field)) {
      const fields = element.bindable.join(', ') || 'none';
      report(below(entryPointer, 'field'), `is not a field that this element can be bound at: ${fields}`);
    }
  }
}

/**
 * Returns the props of a manifest node without the keys that would make it a block reference (`store-api.md 4.12`, rule
 * 5).
 */
export function withoutReference(value: unknown): unknown {
  if (!isObject(value)) return value;
  const allowed = Object.entries(value).filter(([key]) => !referenceKeys.has(key));
  return Object.fromEntries(
    allowed.map(([key, inner]) => [
      key,
      key === 'specials' && isObject(inner)
        ? Object.fromEntries(Object.entries(inner).filter(([name]) => !referenceKeys.has(name)))
        : inner,
    ]),
  );
}
