import { limits, type Problem } from '../model.ts';
import type { Vocabulary } from '../vocabulary/types.ts';
import { checkTree } from './nodes.ts';

/**
 * Returns the first hundred problems of a document, with pointers; an empty list if it is valid (`400
 * invalid_document`, `decisions.md 4.3`). Whether references exist is left to the caller.
 */
export function checkDocument(vocabulary: Vocabulary, document: unknown): Problem[] {
  const problems: Problem[] = [];
  if (exceedsBytes(document, limits.bytes)) {
    return [{ pointer: '', message: `must have at most ${limits.bytes} bytes as JSON` }];
  }
  checkTree(vocabulary, document, '', 'document', (_code, pointer, message, hint) => {
    if (problems.length >= limits.problems) return;
    problems.push({ pointer, message: message + (hint?.() ?? '') });
  });
  return problems;
}

/** Whether a value's JSON exceeds this many bytes of UTF-8. */
function exceedsBytes(value: unknown, maxBytes: number): boolean {
  const json = JSON.stringify(value) ?? '';
  let bytes = json.length;
  if (bytes * 3 <= maxBytes) return false;
  for (let i = 0; i < json.length && bytes <= maxBytes; i++) {
    const unit = json.charCodeAt(i);
    // A surrogate pair is two units and four bytes.
    if (unit >= 0x80) bytes += unit < 0x800 || (unit >= 0xd800 && unit < 0xe000) ? 1 : 2;
  }
  return bytes > maxBytes;
}
