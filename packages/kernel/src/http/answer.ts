import type { Readable } from 'node:stream';

/**
 * An answer that is more than the JSON of a value. A stream's length, where it is known, stands in `headers`; a
 * `status` takes the place of the route's own (206, 304, 302).
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

export const jsonType = 'application/json; charset=utf-8';

/** The JSON of an envelope with warnings beside its item, where there are some. They are no part of its ETag. */
export const withWarnings = (envelope: string, warnings: readonly object[]): string =>
  warnings.length === 0 ? envelope : `${envelope.slice(0, -1)},"warnings":${JSON.stringify(warnings)}}`;

/** JSON text that exists already, from the database for one: sent as it is. */
export function rawJson(text: string): Answer {
  return new Answer(text, jsonType);
}

/** A JSON answer with headers of its own. */
export function jsonWithHeaders(value: unknown, headers: Readonly<Record<string, string>>): Answer {
  return new Answer(JSON.stringify(value), jsonType, headers);
}
