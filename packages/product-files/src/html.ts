/** The characters that the server writes as character references. */
const characterReferences: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Character references that the server replaces by the character itself. */
const replacedReferences: Readonly<Record<string, string>> = {
  '&quot;': '"',
  '&apos;': "'",
  '&#39;': "'",
  '&nbsp;': '\u00a0',
};

/**
 * Whether a typed text gives the stored HTML. The server rewrites HTML, such as `Tea & milk` to `Tea &amp; milk` and
 * `<br>` to `<br />`. Without this comparison an unchanged file would ask for the same changes each time.
 */
export function isSameHtml(typed: string, stored: string | undefined): boolean {
  return stored !== undefined && (typed === stored || normaliseHtml(typed) === normaliseHtml(stored));
}

const normaliseHtml = (html: string): string =>
  html.trim().replace(/<\/?[a-z][^<>]*>|&#?\w+;|[&<>]/gi, (part) => {
    if (part.length === 1) return characterReferences[part]!;
    if (part.startsWith('&')) return replacedReferences[part.toLowerCase()] ?? part;
    const inside = part.slice(0, part.endsWith('/>') ? -2 : -1).trimEnd();
    return `${inside.replace(/^<\/?[a-z][a-z0-9]*/i, (name) => name.toLowerCase())}>`;
  });
