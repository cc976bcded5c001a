/** The ordinals of the adopted sheets, in the order of `document.adoptedStyleSheets`. */
const ordinals: number[] = [];

/**
 * Adds the styles of a lazily loaded module when its script runs. Sheets stay sorted by ordinal, whichever script loads
 * first, so a screen looks the same however the user reached it.
 */
export function adoptSheet(ordinal: number, css: string): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  const found = ordinals.findIndex((other) => other > ordinal);
  const at = found < 0 ? ordinals.length : found;
  ordinals.splice(at, 0, ordinal);
  document.adoptedStyleSheets.splice(at, 0, sheet);
}
