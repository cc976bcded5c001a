import http, { type IncomingHttpHeaders } from 'node:http';
import { text } from 'node:stream/consumers';

export interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** The JSON of the body; undefined if it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the content of its answers
  body: any;
}

export interface Sending {
  headers?: Record<string, string>;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent unchanged. */
  body?: string | Buffer;
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 64, scheduling: 'lifo' });

/** Sends a request with its path unchanged: no client normalises `..` or `//`. */
export async function send(
  baseUrl: string,
  method: string,
  path: string,
  { headers = {}, json, body }: Sending = {},
): Promise<Reply> {
  const content = json === undefined ? body : JSON.stringify(json);
  const { hostname, port } = new URL(baseUrl);
  const res = await new Promise<http.IncomingMessage>((resolve, reject) => {
    const req = http.request({
      agent,
      hostname,
      port,
      method,
      path,
      headers: {
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...(content !== undefined && { 'content-length': Buffer.byteLength(content) }),
        ...headers,
      },
    });
    req.on('response', resolve).on('error', reject).end(content);
  });
  const answer = await text(res);
  const isJson = res.headers['content-type']?.startsWith('application/json') && answer !== '';
  return {
    status: res.statusCode!,
    headers: res.headers,
    text: answer,
    body: isJson ? JSON.parse(answer) : undefined,
  };
}

/** Calls the API as the bearer of one credential. */
export type Caller = (
  method: string,
  path: string,
  json?: unknown,
  headers?: Record<string, string>,
) => Promise<Reply>;

export function createCaller(baseUrl: string, credential: string | undefined): Caller {
  return (method, path, json, headers = {}) =>
    send(baseUrl, method, path, {
      json,
      headers: { ...(credential && { authorization: `Bearer ${credential}` }), ...headers },
    });
}
