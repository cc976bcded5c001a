/** Bytes of a reply's body that are kept: `decisions.md 12.6`. */
export const keptBytes = 1024;
/** Its headers: so many, and so long with their names. */
const maxHeaders = 32;
const maxHeaderLength = 256;

const cookies = new Set(['set-cookie', 'set-cookie2']);

/** Gives the headers of a reply that are kept for the owner of the endpoint. */
export function keepHeaders(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name, value]) => value !== undefined && !cookies.has(name) && name.length < maxHeaderLength)
      .slice(0, maxHeaders)
      .map(([name, value]) => [
        name,
        storable(
          [value]
            .flat()
            .join(', ')
            .slice(0, maxHeaderLength - name.length),
        ),
      ]),
  );
}

/** The beginning of a reply's body where it is text; null where it is not, or compressed. */
export function keepBody(start: Buffer): string | null {
  try {
    // As of a stream: what is cut off in the middle of a character is left out, not wrong.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(start, { stream: true });
    return binary.test(text) ? null : text;
  } catch {
    return null;
  }
}

/** Control characters that no text holds: all but tabs and ends of lines. */
const binary = /[\0-\x08\x0b\x0e-\x1f\x7f]/;

/** No database keeps NUL or half a surrogate pair in JSON. */
const storable = (text: string) => text.replaceAll('\0', '\ufffd').toWellFormed();

const maxRetryAfterSeconds = 24 * 3_600;

/** The seconds that `Retry-After` of a 429 or 503 asks for; none that is longer than a day counts: `decisions.md 24.1`. */
export function retryAfterOf(
  status: number | null,
  headers: Readonly<Record<string, string>>,
  now: number,
): number | undefined {
  const text = headers['retry-after'];
  if ((status !== 429 && status !== 503) || text === undefined) return undefined;
  const seconds = /^\d{1,10}$/.test(text) ? Number(text) : (Date.parse(text) - now) / 1000;
  return seconds > 0 && seconds <= maxRetryAfterSeconds ? seconds : undefined;
}
