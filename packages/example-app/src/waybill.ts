/** An answer that is not a success. */
export class WaybillError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, body: { error?: string; code?: string }) {
    super(`${status} ${body.code}: ${body.error}`);
    this.status = status;
    this.code = body.code ?? '';
  }
}

/** A minimal client of Waybill's API that sends one bearer token. */
export class Waybill {
  readonly #baseUrl: string;
  readonly #token: string | undefined;

  constructor(baseUrl: string, token?: string) {
    this.#baseUrl = baseUrl;
    this.#token = token;
  }

  get = <Reply>(path: string): Promise<Reply> => this.#call('GET', path);
  post = <Reply>(path: string, body: object = {}): Promise<Reply> => this.#call('POST', path, body);
  put = <Reply>(path: string, body: object): Promise<Reply> => this.#call('PUT', path, body);
  patch = <Reply>(path: string, body: object): Promise<Reply> => this.#call('PATCH', path, body);
  delete = (path: string): Promise<void> => this.#call('DELETE', path);

  /** Sends raw text, such as an island's module. */
  upload = <Reply>(path: string, contentType: string, text: string): Promise<Reply> =>
    this.#send('POST', path, text, contentType);

  #call<Reply>(method: string, path: string, body?: object): Promise<Reply> {
    return this.#send(method, path, body && JSON.stringify(body), body && 'application/json');
  }

  async #send<Reply>(method: string, path: string, body?: string, contentType?: string): Promise<Reply> {
    const headers = {
      ...(this.#token && { authorization: `Bearer ${this.#token}` }),
      ...(contentType && { 'content-type': contentType }),
    };
    const reply = await fetch(this.#baseUrl + path, { method, headers, ...(body !== undefined && { body }) });
    const text = await reply.text();
    const answer = text === '' ? undefined : JSON.parse(text);
    if (!reply.ok) throw new WaybillError(reply.status, answer ?? {});
    return answer as Reply;
  }
}
