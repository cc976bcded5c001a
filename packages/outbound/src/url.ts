/** A URL that no call can be made to, and why, in words for the person who sent it. */
export interface InvalidUrl {
  problem: 'invalid';
  message: string;
}

const longestUrl = 2048;

/** Reads the URL of a webhook endpoint: its form only, not where it leads (`decisions.md 6.1`). */
export function checkUrl(text: string): URL | InvalidUrl {
  if (text.length > longestUrl) return invalid(`is longer than ${longestUrl} characters`);
  // The URL parser drops or repairs these silently; what is stored must be what is called.
  if (/[\u0000-\u0020\u007f]/.test(text)) return invalid('contains a space or a control character');
  if (!/^https?:\/\//i.test(text)) return invalid('does not begin with http:// or https://');
  const url = URL.parse(text);
  if (url === null) return invalid('is not a valid URL');
  if (url.username !== '' || url.password !== '') return invalid('contains credentials');
  if (url.port === '0') return invalid('names port 0');
  return url;
}

/** The port a URL leads to, written or implied. */
export function portOf(url: URL): number {
  return Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
}

function invalid(what: string): InvalidUrl {
  return { problem: 'invalid', message: `url ${what}` };
}
