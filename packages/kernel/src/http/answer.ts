import type { Readable } from 'node:stream';

/**
 * An answer other than the JSON of a value. `headers` holds the length of a stream if it is known; `status` replaces
 * the route's own (206, 304, 302).
 */
export class Answer {
  readonly body: string | Buffer | Readable;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number | undefined;

  constructor(
    body: string | Buffer | Readable,
    contentType: string,
    headers: Readonly<Record<string, string>> = {},
    status?: number,
  ) {
    this.body = body;
    this.contentType = contentType;
    this.headers = headers;
    this.status = status;
  }
}

/**
 * Returns the encoding that writes a text of `byteLength` bytes in UTF-8 fastest: ASCII, whose bytes are its characters,
 * is copied as Latin-1.
 */
export const selectEncoding = (text: string, byteLength: number): 'latin1' | 'utf8' =>
  text.length === byteLength ? 'latin1' : 'utf8';

/** Returns the bytes of a text in UTF-8. */
export const encodeText = (text: string): Buffer =>
  Buffer.from(text, selectEncoding(text, Buffer.byteLength(text)));

export const jsonType = 'application/json; charset=utf-8';

/** Returns the JSON of an envelope with warnings next to its item, if there are any. They are no part of its ETag. */
export const withWarnings = (envelope: string, warnings: readonly object[]): string =>
  warnings.length === 0 ? envelope : `${envelope.slice(0, -1)},"warnings":${JSON.stringify(warnings)}}`;

/** Answers with existing JSON text, such as from the database, unchanged. */
export function rawJson(text: string): Answer {
  return new Answer(text, jsonType);
}

/** Answers with JSON and additional headers. */
export function jsonWithHeaders(value: unknown, headers: Readonly<Record<string, string>>): Answer {
  return new Answer(JSON.stringify(value), jsonType, headers);
}
