const schemes = new Set(['http', 'https', 'mailto', 'tel']);

/** Characters that readers of a URL do not see and that some parsers skip. */
const invisible = /[\0-\x20\x7f-\xa0\xad\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u2064\u3000\ufeff]/g;

/**
 * Returns a URL that is safe to use in a page: http, https, mailto, tel, or without a scheme. The result is trimmed,
 * with spaces, double quotes and backslashes percent-encoded; undefined if the URL is not allowed.
 */
export function safeUrl(url: string): string | undefined {
  const safe = url
    .trim()
    .replace(/[\0-\x1f\x7f-\x9f\xad\u1680\u180e\u200b-\u200f\u2028-\u202f\u2060-\u2064\ufeff]/g, '')
    .replace(/[\x20\xa0\u2000-\u200a\u205f\u3000]/g, '%20')
    .replace(/["\\<>`]/g, encodeAscii);
  // Checks the scheme as parsers read the URL and as it is written, so that the result passes again.
  return hasAllowedScheme(url.replace(invisible, '')) && hasAllowedScheme(safe) ? safe : undefined;
}

function hasAllowedScheme(url: string): boolean {
  const end = url.search(/[:/?#]/);
  return end < 0 || url[end] !== ':' || schemes.has(url.slice(0, end).toLowerCase());
}

/** Like `safeUrl`, for resources that a browser loads by itself: an image, a video. */
export function safeMediaUrl(url: string): string | undefined {
  const safe = safeUrl(url);
  return safe !== undefined && /^(?:https?:|(?![a-z][a-z0-9+.-]*:))/i.test(safe) ? safe : undefined;
}

function encodeAscii(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}
