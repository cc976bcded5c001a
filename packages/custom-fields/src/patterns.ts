import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';

/**
 * An expression that a merchant wrote, run in linear time: RE2 has neither look-around nor back-references. Null: it is no
 * such expression.
 */
export function compilePattern(pattern: string): RE2JS | null {
  const known = compiled.get(pattern);
  if (known !== undefined) return known.expression;
  let expression: RE2JS | null = null;
  try {
    expression = RE2JS.compile(RE2JS.translateRegExp(pattern) as string);
  } catch {
    // Why it is none, RE2 says in terms of its own syntax.
  }
  compiled.set(pattern, { expression });
  return expression;
}

const compiled = new LRUCache<string, { expression: RE2JS | null }>({ max: 500 });

/** The time of a match grows with the text and with the program: both together are bounded. */
export const maxPatternSteps = 5_000_000;

export const isTooComplex = (expression: RE2JS, characters: number): boolean =>
  expression.programSize() * characters > maxPatternSteps;
