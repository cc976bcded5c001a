import { foldText, hasVisibleCharacter } from '@waybill/contracts';

/** A code as it is found: `Früh` and `FRUH` are one. */
export const keyOfCode = (code: string): string => foldText(code.trim());

/** Whether a text can be a code: visible characters alone, of which something is left to compare by. */
export const isCode = (code: string): boolean =>
  [...code].every((char) => hasVisibleCharacter(char)) && keyOfCode(code) !== '';

/** The codes that somebody typed, each once, by the key that it is found by. */
export function readTypedCodes(codes: readonly string[]): Map<string, string> {
  const typed = new Map<string, string>();
  for (const code of codes) {
    const key = keyOfCode(code);
    if (!typed.has(key)) typed.set(key, code.trim());
  }
  return typed;
}
