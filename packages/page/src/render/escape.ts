/** Escapes text between tags, as in the HTML fragment serialisation algorithm. */
export function escapeText(text: string): string {
  return /[&<>\u00a0]/.test(text)
    ? text
        .replaceAll('&', '&amp;')
        .replaceAll('\u00a0', '&nbsp;')
        .replaceAll('<', '&lt;')
        .replaceAll('>', '&gt;')
    : text;
}

/** Escapes an attribute's value, as in the same algorithm. */
export function escapeAttribute(value: string): string {
  return /[&<>"\u00a0]/.test(value) ? escapeText(value).replaceAll('"', '&quot;') : value;
}
