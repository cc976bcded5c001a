import { foldText, hasVisibleCharacter } from '@waybill/contracts';

/** Returns the folded form of a code for look-ups: `Früh` and `FRUH` are the same code. */
export const createCodeKey = (code: string): string => foldText(code.trim());

/** Whether a text can be a code: it contains only visible characters, and something remains after folding. */
export const isCode = (code: string): boolean =>
  [...code].every((char) => hasVisibleCharacter(char)) && createCodeKey(code) !== '';

/** Returns the codes that a shopper typed, without repetitions, by their folded form. */
export function readTypedCodes(codes: readonly string[]): Map<string, string> {
  const typed = new Map<string, string>();
  for (const code of codes) {
    const key = createCodeKey(code);
    if (!typed.has(key)) typed.set(key, code.trim());
  }
  return typed;
}
