/**
 * Parses an address that people are to follow: http or https, and without credentials, because `https://bank.example@host`
 * shows another site than the one that it leads to. Null for any other text.
 */
export function parseWebAddress(text: string): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || url.username || url.password) return null;
  return url.protocol === 'https:' || url.protocol === 'http:' ? url : null;
}
