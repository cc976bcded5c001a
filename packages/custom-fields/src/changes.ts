import {
  type ContentWarning,
  type CustomFieldState,
  type CustomFieldValue,
  type CustomFieldValues,
  customFieldLimits,
  customFieldName,
  errors,
  type Problem,
} from '@waybill/contracts';
import { warningsFor } from '@waybill/html';
import { escapePointer } from '@waybill/kernel';
import { checkValue, isEmptyValue } from './check-value.ts';

/** The changes of a write to an item's values, which are stored by the ids of their definitions. */
export interface ValuesChange {
  set: CustomFieldValues;
  removed: readonly string[];
  /** Required values that the write does not give; they are problems if it creates the item. */
  missing: readonly Problem[];
  /** Required values that the write empties; they are problems if the item has a different value. */
  emptiedValues: readonly EmptiedValue[];
  /** Warnings about parts of rich text that were removed. */
  warnings: readonly ContentWarning[];
}

interface EmptiedValue {
  id: string;
  /** Null if the write removes the value. */
  value: CustomFieldValue | null;
  problem: Problem;
}

/** An input together with its checked changes to custom fields. */
export type WithFields<Input> = Input & { fields?: ValuesChange };

export const noChange: ValuesChange = { set: {}, removed: [], missing: [], emptiedValues: [], warnings: [] };

/** An id inside a value that must be looked up, and its JSON pointer. */
export interface NamedId {
  id: string;
  pointer: string;
}

interface ParsedChange {
  change: ValuesChange;
  problems: Problem[];
  media: NamedId[];
  products: NamedId[];
}

/** The definitions of an entity, indexed once for reading many items of a body. */
export interface IndexedDefinitions {
  byName: ReadonlyMap<string, CustomFieldState>;
  /** The names of the definitions that require a value. */
  required: readonly string[];
}

/** Indexes the definitions of an entity for `parseChange`. */
export const indexDefinitions = (definitions: readonly CustomFieldState[]): IndexedDefinitions => ({
  byName: new Map(definitions.map((definition) => [customFieldName(definition), definition])),
  required: definitions.flatMap((definition) =>
    definition.rules.required ? customFieldName(definition) : [],
  ),
});

/**
 * Reads the custom fields that a write gives for an item, at a pointer of its body. The definitions are those that the
 * sender may see.
 */
export function parseChange(
  { byName, required }: IndexedDefinitions,
  input: Readonly<Record<string, unknown>>,
  at: string,
): ParsedChange {
  const parsed: ParsedChange = {
    change: noChange,
    problems: [],
    media: [],
    products: [],
  };
  const set: CustomFieldValues = {};
  const removed: string[] = [];
  const emptiedValues: EmptiedValue[] = [];
  const warnings: ContentWarning[] = [];
  for (const [name, value] of Object.entries(input)) {
    const pointer = `${at}/${escapePointer(name)}`;
    const definition = byName.get(name);
    if (!definition) {
      parsed.problems.push({ pointer, message: 'is not a custom field here' });
      continue;
    }
    const { id, type, rules } = definition;
    if (value === null) {
      if (rules.required) emptiedValues.push({ id, value, problem: { pointer, message: 'is required' } });
      removed.push(id);
      continue;
    }
    const checked = checkValue(definition, value);
    if ('problem' in checked) {
      const itemPointer = checked.item === undefined ? pointer : `${pointer}/${checked.item}`;
      parsed.problems.push({ pointer: itemPointer, message: checked.problem });
      continue;
    }
    if (rules.required && isEmptyValue(type, checked.value))
      emptiedValues.push({ id, value: checked.value, problem: { pointer, message: 'is required' } });
    if (type === 'media') parsed.media.push({ id: String(value), pointer });
    if (type === 'product') parsed.products.push({ id: String(value), pointer });
    if (type === 'richText') warnings.push(...warningsFor(String(value)));
    set[id] = checked.value;
  }
  const missing = required.flatMap((name): Problem[] =>
    Object.hasOwn(input, name) && input[name] !== null
      ? []
      : [{ pointer: `${at}/${escapePointer(name)}`, message: 'is required' }],
  );
  parsed.change = { set, removed, missing, emptiedValues, warnings };
  return parsed;
}

/** Merges the warnings about several rich texts of one write, so that each kind appears once (`decisions.md 19.7`). */
export function mergeWarnings(
  ...parts: readonly (readonly ContentWarning[] | undefined)[]
): ContentWarning[] {
  const merged = new Map<string, ContentWarning>();
  for (const warning of parts.flatMap((part) => part ?? [])) {
    const count = warning.count + (merged.get(warning.code)?.count ?? 0);
    merged.set(warning.code, { ...warning, count });
  }
  return [...merged.values()];
}

/** Throws if a write creates an item without a required value. */
export function requireValues({ missing }: ValuesChange): void {
  if (missing.length > 0) throw errors.invalid_custom_field({ details: [...missing] });
}

/**
 * Returns the values of an item after a change.
 * @throws invalid_custom_field if a required value is removed, or the item has more values than allowed
 */
export function applyChange(
  current: CustomFieldValues,
  { set, removed, emptiedValues }: ValuesChange,
  pointer = '/customFields',
): CustomFieldValues {
  // A form sends back all fields, including those that the item never had; emptying those loses nothing.
  const lostRequired = emptiedValues.filter(
    ({ id, value }) => JSON.stringify(current[id] ?? null) !== JSON.stringify(value),
  );
  if (lostRequired.length > 0)
    throw errors.invalid_custom_field({ details: lostRequired.map(({ problem }) => problem) });
  const isSame = Object.keys(set).length === 0 && removed.every((id) => !Object.hasOwn(current, id));
  if (isSame) return current;
  const next = { ...current, ...set };
  for (const id of removed) delete next[id];
  if (Buffer.byteLength(JSON.stringify(next)) > customFieldLimits.itemBytes) {
    const message = `makes more than ${customFieldLimits.itemBytes / 1024} KiB of values`;
    throw errors.invalid_custom_field({ details: [{ pointer, message }] });
  }
  return next;
}
