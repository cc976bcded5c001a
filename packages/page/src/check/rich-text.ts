import { richTextContent, richTextDepth, richTextMarks } from '../rich-text.ts';
import { isCleanText } from '../text.ts';
import { link } from '../vocabulary/specials.ts';
import { below, isObject } from './pointer.ts';
import { checkValue, type Report } from './values.ts';

/** Reports whatever is wrong in a rich text's tree. */
export function checkRichText(value: unknown, pointer: string, report: Report): void {
  checkNode(value, ['doc'], pointer, 1, report);
}

function checkNode(
  node: unknown,
  allowed: readonly string[],
  pointer: string,
  depth: number,
  report: Report,
): void {
  if (!isObject(node)) {
    report(pointer, 'must be an object');
    return;
  }
  if (typeof node.type !== 'string' || !allowed.includes(node.type)) {
    report(below(pointer, 'type'), `must be one of ${allowed.join(', ')}`);
    return;
  }
  if (depth > richTextDepth) {
    report(pointer, `is nested deeper than ${richTextDepth} levels`);
    return;
  }
  if (node.type === 'text') {
    checkText(node, pointer, report);
    return;
  }
  if (node.type === 'heading') checkLevel(node.attrs, below(pointer, 'attrs'), report);
  const { content = [] } = node;
  if (!Array.isArray(content)) {
    report(below(pointer, 'content'), 'must be an array');
    return;
  }
  const inner = richTextContent.get(node.type) ?? [];
  for (const [i, child] of content.entries()) {
    if (inner.length === 0) {
      report(below(pointer, 'content'), 'must be empty');
      return;
    }
    checkNode(child, inner, below(below(pointer, 'content'), i), depth + 1, report);
  }
}

function checkLevel(attrs: unknown, pointer: string, report: Report): void {
  const level = isObject(attrs) ? (attrs.level ?? 2) : attrs === undefined ? 2 : undefined;
  if (!Number.isInteger(level) || (level as number) < 1 || (level as number) > 6) {
    report(below(pointer, 'level'), 'must be a whole number from 1 to 6');
  }
}

function checkText(node: Record<string, unknown>, pointer: string, report: Report): void {
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
    const place = below(below(pointer, 'marks'), i);
    if (!isObject(mark) || typeof mark.type !== 'string' || !richTextMarks.has(mark.type)) {
      report(below(place, 'type'), `must be one of ${[...richTextMarks.keys()].join(', ')}`);
    } else if (mark.type === 'link') {
      const href = isObject(mark.attrs) ? mark.attrs.href : undefined;
      checkValue(link, href, below(below(place, 'attrs'), 'href'), report);
    }
  }
}
