/** Text between tags, as the HTML fragment serialisation algorithm writes it. */
export function escapeText(text: string): string {
  return /[&<>\u00a0]/.test(text)
    ? text
        .replaceAll('&', '&amp;')
        .replaceAll('\u00a0', '&nbsp;')
        .replaceAll('<', '&lt;')
        .replaceAll('>', '&gt;')
    : text;
}

/** An attribute's value, as the same algorithm writes it. */
export function escapeAttribute(value: string): string {
  return /[&<>"\u00a0]/.test(value) ? escapeText(value).replaceAll('"', '&quot;') : value;
}
