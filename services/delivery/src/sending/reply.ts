/** Number of bytes kept of a reply's body (`decisions.md 12.6`). */
export const maxStoredBodyBytes = 1024;
/** Limits of the kept headers: their number, and the length of each including its name. */
const maxHeaders = 32;
const maxHeaderLength = 256;

const cookies = new Set(['set-cookie', 'set-cookie2']);

/** Returns the headers of a reply that are kept for the owner of the endpoint. */
export function toStoredHeaders(
  headers: Record<string, string | string[] | undefined>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name, value]) => value !== undefined && !cookies.has(name) && name.length < maxHeaderLength)
      .slice(0, maxHeaders)
      .map(([name, value]) => [
        name,
        toStorableText(
          [value]
            .flat()
            .join(', ')
            .slice(0, maxHeaderLength - name.length),
        ),
      ]),
  );
}

/** Returns the beginning of a reply's body if it is text; null if it is binary or compressed. */
export function toStoredBody(start: Buffer): string | null {
  try {
    // Decode as a stream, so that a character cut off at the end is dropped instead of being an error.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(start, { stream: true });
    return binaryCharacters.test(text) ? null : text;
  } catch {
    return null;
  }
}

/** Control characters that do not occur in text: all but tabs and line ends. */
const binaryCharacters = /[\0-\x08\x0b\x0e-\x1f\x7f]/;

/** Makes a text storable: no database keeps NUL or half a surrogate pair in JSON. */
const toStorableText = (text: string) => text.replaceAll('\0', '\ufffd').toWellFormed();

const maxRetryAfterSeconds = 24 * 3_600;

/**
 * Returns the seconds that `Retry-After` of a 429 or 503 asks for. A value above one day is ignored
 * (`decisions.md 24.1`).
 */
export function parseRetryAfter(
  status: number | null,
  headers: Readonly<Record<string, string>>,
  now: number,
): number | undefined {
  const text = headers['retry-after'];
  if ((status !== 429 && status !== 503) || text === undefined) return undefined;
  const seconds = /^\d{1,10}$/.test(text) ? Number(text) : (Date.parse(text) - now) / 1000;
  return seconds > 0 && seconds <= maxRetryAfterSeconds ? seconds : undefined;
}
