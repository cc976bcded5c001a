/** What no text of a page may hold: control characters other than tab and line ends, and halves of surrogate pairs. */
const unwanted =
  /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** Most texts hold none of these, nor what `unwanted` has to look around for. */
const suspicious = /[\0-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]/;

/** Whether a text can stand in a page as it is. */
export function isCleanText(text: string): boolean {
  if (!suspicious.test(text)) return true;
  unwanted.lastIndex = 0;
  return !unwanted.test(text);
}

const visible = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cn}\u2800\ufff9-\ufffb]/u;

/** Whether a text shows anything; the same as `hasVisibleCharacter` of the contracts, which the model cannot import. */
export function hasVisibleText(text: string): boolean {
  return visible.test(text);
}

/** Text as it is stored: Unicode NFC, lines that end in LF. */
export function normaliseText(text: string): string {
  return text.replace(/\r\n?/g, '\n').normalize('NFC');
}

/** Text from elsewhere (a product's name, an app's value) made fit for a page; never an error. */
export function cleanText(text: string): string {
  if (!suspicious.test(text)) return text;
  return text.replace(/\r\n?/g, '\n').replace(unwanted, (found) => (found >= '\ud800' ? '\ufffd' : ''));
}
