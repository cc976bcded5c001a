import { breakpoints, type Target } from '../model.ts';
import type { ElementType, ValueType, Vocabulary } from '../vocabulary/types.ts';
import { below, isObject } from './pointer.ts';
import { suggestion } from './suggest.ts';
import { checkValue, type Report } from './values.ts';

/** Keys by which a node claims to be a block reference; an app's block loses them before it is used. */
const referenceKeys = new Set(['appId', 'blockKey', 'settings']);

/**
 * Checks `{ style?, config?, specials? }`: each key one that the vocabulary knows, each value of its type, `null`
 * allowed everywhere. A special that the element has is held to the element's type, another to its widest.
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
    const place = below(pointer, target);
    if (!isObject(value)) {
      report(place, 'must be an object');
      continue;
    }
    for (const [breakpoint, values] of Object.entries(value)) {
      if (!(breakpoints as readonly string[]).includes(breakpoint)) {
        report(below(place, breakpoint), `is no breakpoint: ${breakpoints.join(', ')}`);
      } else if (values !== null) {
        checkKeys(vocabulary.writeKeys[target], target, values, below(place, breakpoint), report);
      }
    }
  }
  if (props.specials === undefined) return;
  const narrowed = element
    ? Object.fromEntries(Object.entries(element.specials).map(([name, { type }]) => [name, type]))
    : {};
  const types = { ...vocabulary.writeKeys.specials, ...narrowed };
  checkKeys(types, 'specials', props.specials, below(pointer, 'specials'), report);
}

function checkKeys(
  types: Readonly<Record<string, ValueType>>,
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
    const type = Object.hasOwn(types, key) ? types[key]! : undefined;
    if (!type) {
      report(below(pointer, key), `is no ${target} key`, () => suggestion(key, Object.keys(types)));
    } else if (value !== null) checkValue(type, value, below(pointer, key), report);
  }
}

/** Checks a manifest node's bindings: a source `app.<key>` each, and a field that the element lets be filled. */
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
    const place = below(pointer, i);
    if (!isObject(binding)) {
      report(place, 'must be an object');
      continue;
    }
    const { source, field } = binding;
    if (typeof source !== 'string' || !/^app\.[a-z0-9][a-z0-9._-]{0,63}$/.test(source)) {
      report(below(place, 'source'), 'must be app.<key> with the key of an app-data value');
    }
    if (typeof field !== 'string') report(below(place, 'field'), 'must be a string');
    else if (element && !element.bindable.includes(field)) {
      const fields = element.bindable.join(', ') || 'none';
      report(below(place, 'field'), `is not a field that this element can be bound at: ${fields}`);
    }
  }
}

/** The props of a manifest node without what would make it a block reference: `store-api.md 4.12`, rule 5. */
export function withoutReference(value: unknown): unknown {
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([key]) => !referenceKeys.has(key));
  return Object.fromEntries(
    kept.map(([key, inner]) => [
      key,
      key === 'specials' && isObject(inner)
        ? Object.fromEntries(Object.entries(inner).filter(([name]) => !referenceKeys.has(name)))
        : inner,
    ]),
  );
}
