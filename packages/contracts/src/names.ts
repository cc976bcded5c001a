import Type, { type TStringOptions } from 'typebox';

// Excludes white space, characters that Unicode calls ignorable, controls, the blank of braille and the anchors of
// annotations; all others have at least some ink.
const visibleCharacter = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cn}\u2800\ufff9-\ufffb]/u;
const isSpace = /^[\p{White_Space}\ufeff]$/u;

/** Whether a text shows anything: white space, zero-width and control characters do not. `decisions.md 19.4`. */
export const hasVisibleCharacter = (text: string): boolean => visibleCharacter.test(text);

/** Returns a name as it is stored, without white space at either end. */
export function trimName(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isSpace.test(text[start]!)) start++;
  while (end > start && isSpace.test(text[end - 1]!)) end--;
  return text.slice(start, end);
}

/** The pattern of a single line, as a field of a form has it: without control characters. */
export const linePattern = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$';

/** Whether a text is a single line, without control characters. */
export const isSingleLine = (text: string): boolean => !/\p{Cc}/u.test(text);

export const nameMaxLength = 200;

/**
 * The schema of a name or title, `decisions.md 19.4`: it has at least one visible character, and is stored without
 * white space at either end; `minLength` and `maxLength` count the stored text. The kernel implements the keyword
 * `readAs`.
 */
export const Name = (options: TStringOptions = {}) =>
  Type.String({ minLength: 1, maxLength: nameMaxLength, ...options, readAs: 'name' });

/** The schema of a name that may be empty; a text of only blanks is refused here as well. */
export const OptionalName = (options: TStringOptions = {}) =>
  Type.String({ maxLength: nameMaxLength, ...options, readAs: 'name' });
