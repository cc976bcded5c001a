import { isCleanText } from '../text.ts';
import type { RichTextRules, ValueType } from '../vocabulary/types.ts';
import { below, isObject } from './pointer.ts';
import type { Report } from './report.ts';

/** Reports the problems of a value of some type. */
export type CheckValue = (type: ValueType, value: unknown, pointer: string, report: Report) => void;

/** The context of checking one rich text; `checkValue` checks the attributes of its nodes. */
interface Check {
  rules: RichTextRules;
  checkValue: CheckValue;
  report: Report;
}

/** Reports all problems in a rich text's tree. */
export function checkRichText(check: Check, value: unknown, pointer: string): void {
  checkNode(check, value, ['doc'], pointer, 1);
}

function checkNode(
  check: Check,
  node: unknown,
  allowed: readonly string[],
  pointer: string,
  depth: number,
): void {
  const { rules, report } = check;
  if (!isObject(node)) {
    report(pointer, 'must be an object');
    return;
  }
  if (typeof node.type !== 'string' || !allowed.includes(node.type)) {
    report(below(pointer, 'type'), `must be one of ${allowed.join(', ')}`);
    return;
  }
  if (depth > rules.depth) {
    report(pointer, `is nested deeper than ${rules.depth} levels`);
    return;
  }
  if (node.type === 'text') {
    checkText(check, node, pointer);
    return;
  }
  checkAttrs(own(rules.attrs, node.type) ?? {}, node.attrs, below(pointer, 'attrs'), check);
  const { content = [] } = node;
  if (!Array.isArray(content)) {
    report(below(pointer, 'content'), 'must be an array');
    return;
  }
  const inner = own(rules.content, node.type) ?? [];
  for (const [i, child] of content.entries()) {
    if (inner.length === 0) {
      report(below(pointer, 'content'), 'must be empty');
      return;
    }
    checkNode(check, child, inner, below(below(pointer, 'content'), i), depth + 1);
  }
}

/** A node's attributes are optional, and unknown ones may have any value because nothing reads them. */
function checkAttrs(
  types: Readonly<Record<string, ValueType>>,
  attrs: unknown,
  pointer: string,
  { checkValue, report }: Check,
): void {
  if (attrs === undefined) return;
  for (const [name, type] of Object.entries(types)) {
    const value = isObject(attrs) ? attrs[name] : attrs;
    if (!isObject(attrs) || (value !== undefined && value !== null)) {
      checkValue(type, value, below(pointer, name), report);
    }
  }
}

function checkText(
  { rules, checkValue, report }: Check,
  node: Record<string, unknown>,
  pointer: string,
): void {
  const { text, marks = [] } = node;
  if (typeof text !== 'string') report(below(pointer, 'text'), 'must be a string');
  else if (!isCleanText(text)) {
    report(below(pointer, 'text'), 'must not hold control characters or lone surrogates');
  }
  if (!Array.isArray(marks)) {
    report(below(pointer, 'marks'), 'must be an array');
    return;
  }
  for (const [i, mark] of marks.entries()) {
    const markPointer = below(below(pointer, 'marks'), i);
    const types = isObject(mark) && typeof mark.type === 'string' ? own(rules.marks, mark.type) : undefined;
    if (!types) {
      report(below(markPointer, 'type'), `must be one of ${Object.keys(rules.marks).join(', ')}`);
      continue;
    }
    const { attrs } = mark as Record<string, unknown>;
    for (const [name, type] of Object.entries(types)) {
      checkValue(
        type,
        isObject(attrs) ? attrs[name] : undefined,
        below(below(markPointer, 'attrs'), name),
        report,
      );
    }
  }
}

/** Returns an own member of a table object, never an inherited one. */
function own<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
