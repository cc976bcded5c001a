import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';

/**
 * Compiles an expression written by a merchant to run in linear time: RE2 has neither look-around nor back-references.
 * Returns null if it is not a valid RE2 expression.
 */
export function compilePattern(pattern: string): RE2JS | null {
  const cached = patternCache.get(pattern);
  if (cached !== undefined) return cached.expression;
  let expression: RE2JS | null = null;
  try {
    expression = RE2JS.compile(RE2JS.translateRegExp(pattern) as string);
  } catch {
    // The error of RE2 is not passed on, because it explains the problem in RE2's own terms.
  }
  patternCache.set(pattern, { expression });
  return expression;
}

const patternCache = new LRUCache<string, { expression: RE2JS | null }>({ max: 500 });

/** Limit of a program's size times its text's length. The time of a match grows with both. */
export const maxPatternSteps = 5_000_000;

/** Whether matching a text of this length may take more steps than the limit. */
export const isTooComplex = (expression: RE2JS, characters: number): boolean =>
  expression.programSize() * characters > maxPatternSteps;
