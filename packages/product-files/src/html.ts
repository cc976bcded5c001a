/** What the server writes as a reference in texts, and how. */
const written: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** References that the server writes as what they stand for. */
const read: Readonly<Record<string, string>> = {
  '&quot;': '"',
  '&apos;': "'",
  '&#39;': "'",
  '&nbsp;': '\u00a0',
};

/**
 * Whether a text asks for the HTML that is stored. The server writes it in its own way, `Tea & milk` as `Tea &amp; milk` and
 * `<br>` as `<br />`: read again, the same file would ask for the same changes for ever.
 */
export function isSameHtml(typed: string, stored: string | undefined): boolean {
  return stored !== undefined && (typed === stored || rewritten(typed) === rewritten(stored));
}

const rewritten = (html: string): string =>
  html.trim().replace(/<\/?[a-z][^<>]*>|&#?\w+;|[&<>]/gi, (part) => {
    if (part.length === 1) return written[part]!;
    if (part.startsWith('&')) return read[part.toLowerCase()] ?? part;
    const inside = part.slice(0, part.endsWith('/>') ? -2 : -1).trimEnd();
    return `${inside.replace(/^<\/?[a-z][a-z0-9]*/i, (name) => name.toLowerCase())}>`;
  });
