/** The ordinals of the adopted sheets, in their order. */
const ordinals: number[] = [];

/**
 * Adds the styles of a module that comes after the start, when its script does. Sheets keep the order of their ordinals,
 * whichever script comes first, so a screen looks the same on every way to it.
 */
export function adoptSheet(ordinal: number, css: string): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  const found = ordinals.findIndex((other) => other > ordinal);
  const at = found < 0 ? ordinals.length : found;
  ordinals.splice(at, 0, ordinal);
  document.adoptedStyleSheets.splice(at, 0, sheet);
}
