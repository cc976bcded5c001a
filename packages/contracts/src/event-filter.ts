import type { Problem } from './errors.ts';

/** How a condition compares the value at its path with its own value. */
export const filterOps = ['is', 'isNot', 'in', 'exists', 'above', 'below', 'contains', 'startsWith'] as const;
export type FilterOp = (typeof filterOps)[number];

/** One condition of the filter of a webhook: `decisions.md 24.1`. */
export interface FilterCondition {
  path: string;
  op: FilterOp;
  value: FilterScalar | FilterScalar[];
}
export type FilterScalar = string | number | boolean | null;

/** An event as its receiver reads it. */
export type Envelope = Readonly<Record<string, unknown>>;

const rootFields = ['id', 'type', 'createdAt', 'data'];

/** RFC 3339, with a time: a date alone is treated as text. */
const instantText = /^(\d{4})-(\d\d)-(\d\d)[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;

/** Whether all conditions hold for an event: `decisions.md 24.1`. */
export const matchesFilter = (filter: readonly FilterCondition[], event: Envelope): boolean =>
  filter.every((condition) => meetsCondition(condition, event));

function meetsCondition({ path, op, value }: FilterCondition, event: Envelope): boolean {
  const found = valuesAt(event, path.split('.'));
  switch (op) {
    case 'is':
      return found.includes(value as FilterScalar);
    case 'isNot':
      return !found.includes(value as FilterScalar);
    case 'in':
      return found.some((each) => (value as unknown[]).includes(each));
    case 'exists':
      return found.length > 0 === value;
    case 'above':
      return found.some((each) => isBetween(value, each));
    case 'below':
      return found.some((each) => isBetween(each, value));
    case 'contains':
      return found.some((each) => typeof each === 'string' && each.includes(value as string));
    case 'startsWith':
      return found.some((each) => typeof each === 'string' && each.startsWith(value as string));
  }
}

/** Returns the values to which a path leads; for a list, those of its members. */
function valuesAt(value: unknown, path: readonly string[]): unknown[] {
  if (Array.isArray(value)) return value.flatMap((member) => valuesAt(member, path));
  const [name, ...rest] = path;
  if (name === undefined) return [value];
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return [];
  return valuesAt((value as Record<string, unknown>)[name], rest);
}

/** Whether the first value is below the second: two numbers, or two instants. */
function isBetween(lower: unknown, upper: unknown): boolean {
  const [a, b] = [toComparable(lower), toComparable(upper)];
  return a !== null && b !== null && typeof lower === typeof upper && a < b;
}

function toComparable(value: unknown): number | null {
  if (typeof value === 'number') return value;
  const [text, year, month, day] = typeof value === 'string' ? (instantText.exec(value) ?? []) : [];
  if (text === undefined) return null;
  // Date parses the 30th of February as the 2nd of March.
  const isDay =
    Number(day) >= 1 && new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate() >= Number(day);
  const at = isDay ? Date.parse(text.toUpperCase()) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}

/** Returns the problems of a filter's conditions that its schema does not cover. */
export const filterProblems = (filter: readonly FilterCondition[]): Problem[] =>
  filter.flatMap(({ path, op, value }, index) => {
    const [first, ...names] = path.split('.');
    const message = valueProblem(op, value);
    return [
      ...(rootFields.includes(first!) && names.every((name) => name !== '')
        ? []
        : [{ pointer: `/filter/${index}/path`, message: `must begin with one of ${rootFields.join(', ')}` }]),
      ...(message === null ? [] : [{ pointer: `/filter/${index}/value`, message }]),
    ];
  });

function valueProblem(op: FilterCondition['op'], value: unknown): string | null {
  const isText = typeof value === 'string';
  switch (op) {
    case 'is':
    case 'isNot':
      return Array.isArray(value) ? 'must be a text, a number, a boolean or null' : null;
    case 'in':
      return Array.isArray(value) ? null : 'must be a list of texts, numbers, booleans or null';
    case 'exists':
      return typeof value === 'boolean' ? null : 'must be true or false';
    case 'above':
    case 'below':
      return toComparable(value) === null ? 'must be a number, or an instant as RFC 3339 writes it' : null;
    case 'contains':
    case 'startsWith':
      return isText && value !== '' ? null : 'must be a text that is not empty';
  }
}
