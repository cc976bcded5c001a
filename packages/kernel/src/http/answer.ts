/** An answer that is more than the JSON of a value. */
export class Answer {
  readonly body: string | Buffer;
  readonly contentType: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(body: string | Buffer, contentType: string, headers: Readonly<Record<string, string>> = {}) {
    this.body = body;
    this.contentType = contentType;
    this.headers = headers;
  }
}

export const jsonType = 'application/json; charset=utf-8';

/** JSON text that exists already, from the database for one: sent as it is. */
export function rawJson(text: string): Answer {
  return new Answer(text, jsonType);
}

/** A JSON answer with headers of its own. */
export function jsonWithHeaders(value: unknown, headers: Readonly<Record<string, string>>): Answer {
  return new Answer(JSON.stringify(value), jsonType, headers);
}
