/** A URL that cannot be called, with the reason in words that follow its name: "contains credentials". */
export interface InvalidUrl {
  problem: 'invalid';
  message: string;
}

const longestUrl = 2048;

/** Parses the URL of a webhook endpoint. Checks its form only, not the host it leads to (`decisions.md 6.1`). */
export function checkUrl(text: string): URL | InvalidUrl {
  if (text.length > longestUrl) return invalid(`is longer than ${longestUrl} characters`);
  // The URL parser silently drops or repairs these characters, but the stored URL must be the called one.
  if (/[\u0000-\u0020\u007f]/.test(text)) return invalid('contains a space or a control character');
  if (!/^https?:\/\//i.test(text)) return invalid('does not begin with http:// or https://');
  const url = URL.parse(text);
  if (url === null) return invalid('is not a valid URL');
  if (url.username !== '' || url.password !== '') return invalid('contains credentials');
  if (url.port === '0') return invalid('names port 0');
  return url;
}

/** Returns the port of a URL, explicit or implied by its scheme. */
export function getPort(url: URL): number {
  return Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
}

function invalid(what: string): InvalidUrl {
  return { problem: 'invalid', message: what };
}
