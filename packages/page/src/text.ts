/**
 * Characters that no text of a page may contain: control characters other than tab and line ends, and lone surrogates.
 */
const unwantedCharacters =
  /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/**
 * A quick pre-check: most texts contain none of these, so the slower lookarounds of `unwantedCharacters` are not
 * needed.
 */
const suspiciousCharacters = /[\0-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]/;

/** Whether a text can be written to a page unchanged. */
export function isCleanText(text: string): boolean {
  if (!suspiciousCharacters.test(text)) return true;
  unwantedCharacters.lastIndex = 0;
  return !unwantedCharacters.test(text);
}

const visibleCharacter = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cn}\u2800\ufff9-\ufffb]/u;

/** Whether a text shows anything; same as `hasVisibleCharacter` of the contracts, which the model cannot import. */
export function hasVisibleText(text: string): boolean {
  return visibleCharacter.test(text);
}

/** Converts a text to its stored form: Unicode NFC with LF line ends. */
export function normaliseText(text: string): string {
  return text.replace(/\r\n?/g, '\n').normalize('NFC');
}

/** Cleans text from elsewhere (a product's name, an app's value) for a page; never fails. */
export function cleanText(text: string): string {
  if (!suspiciousCharacters.test(text)) return text;
  return text
    .replace(/\r\n?/g, '\n')
    .replace(unwantedCharacters, (found) => (found >= '\ud800' ? '\ufffd' : ''));
}
