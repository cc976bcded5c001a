import Type, { type TStringOptions } from 'typebox';

// White space, what Unicode calls ignorable, controls, the blank of braille and the anchors of annotations; others have at
// least some ink.
const visible = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cn}\u2800\ufff9-\ufffb]/u;
const isSpace = /^[\p{White_Space}\ufeff]$/u;

/** Whether a text shows anything: white space, zero-width and control characters do not. `decisions.md 19.4`. */
export const hasVisibleCharacter = (text: string): boolean => visible.test(text);

/** A name as it is stored, without white space at either end. */
export function trimName(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isSpace.test(text[start]!)) start++;
  while (end > start && isSpace.test(text[end - 1]!)) end--;
  return text.slice(start, end);
}

/** A text of one line, as a field of a form has it: without control characters. */
export const linePattern = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$';

/** Tells whether a text is one line, without control characters. */
export const isLine = (text: string): boolean => !/\p{Cc}/u.test(text);

export const nameMaxLength = 200;

/**
 * The name or title of anything, `decisions.md 19.4`: with at least one visible character, and stored without white space
 * at either end; `minLength` and `maxLength` count what is stored. The kernel knows the keyword `readAs`.
 */
export const Name = (options: TStringOptions = {}) =>
  Type.String({ minLength: 1, maxLength: nameMaxLength, ...options, readAs: 'name' });

/** A name that may be empty; blanks alone are refused here as well. */
export const OptionalName = (options: TStringOptions = {}) =>
  Type.String({ maxLength: nameMaxLength, ...options, readAs: 'name' });
