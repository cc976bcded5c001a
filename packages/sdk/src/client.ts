import createFetchClient, { type FetchResponse, type MaybeOptionalInit } from 'openapi-fetch';
import type { HttpMethod, PathsWithMethod, RequiredKeysOf } from 'openapi-typescript-helpers';
import type { paths } from './api.ts';
import { type Attempts, createAttempts, withIdempotencyKey } from './attempts.ts';
import { readError, WaybillError } from './errors.ts';
import { type UploadOptions, withProgress } from './uploads.ts';

type InitOf<Init> = RequiredKeysOf<Init> extends never ? [init?: Init] : [init: Init];

/** Resolves with the body of the answer; throws a `WaybillError` for every answer that is not a success. */
type Call<Method extends HttpMethod> = <
  Path extends PathsWithMethod<paths, Method>,
  Init extends MaybeOptionalInit<paths[Path], Method>,
>(
  path: Path,
  ...init: InitOf<Init>
) => Promise<
  NonNullable<
    FetchResponse<paths[Path][Method] & Record<string | number, unknown>, Init, 'application/json'>['data']
  >
>;

/** The API, typed by path: `await client.get('/api/v1/products', { params: { query: { q: 'tea' } } })`. */
export interface Client {
  get: Call<'get'>;
  post: Call<'post'>;
  put: Call<'put'>;
  patch: Call<'patch'>;
  delete: Call<'delete'>;
  /** Makes a call that the document does not describe well, such as a download. Same credential, retries and errors. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Sends a form with a file, or raw bytes, and reports progress. Same credential, retries and errors. */
  upload(path: string, body: FormData | Blob, options?: UploadOptions): Promise<Response>;
}

export interface ClientOptions extends Partial<Attempts> {
  /** The address of the Waybill server, such as `https://shop.example.com`. */
  baseUrl: string;
  /**
   * An API key, an app token, or a user's access token. A function is called before every request. If the server
   * refuses the credential (401), the function is called once more with the refused one, and the request is retried
   * with its result.
   */
  credential?: string | ((refused?: string) => string | null | Promise<string | null>);
}

/** Creates a client of the API. Every call throws a `WaybillError` unless it succeeds. */
export function createClient({ baseUrl, credential, ...attempts }: ClientOptions): Client {
  const tried = createAttempts(attempts);
  const transport = attempts.fetch ?? ((request: Request) => globalThis.fetch(request));
  const base = baseUrl.replace(/(?<!\/)\/+$/, '');

  async function send(request: Request, through?: Attempts['fetch']): Promise<Response> {
    withIdempotencyKey(request);
    const isWrite = request.method !== 'GET' && request.method !== 'HEAD';
    if (isWrite && prefersStrict() && !request.headers.has('prefer'))
      request.headers.set('prefer', 'handling=strict');
    const getCredential = typeof credential === 'function' ? credential : null;
    const bearer = getCredential ? await getCredential() : (credential as string | undefined);
    const attempt = (original: Request, credential: string | null | undefined) => {
      if (credential) original.headers.set('authorization', `Bearer ${credential}`);
      return tried(original, through && { send: through });
    };
    const again = getCredential && bearer ? request.clone() : null;
    let response = await attempt(request, bearer);
    if (response.status === 401 && again) {
      const other = await getCredential!(bearer!);
      if (other && other !== bearer) {
        await response.body?.cancel();
        response = await attempt(again, other);
      }
    }
    if (response.ok || response.status === 304) return response;
    throw await readError(response);
  }

  const typedClient = createFetchClient<paths>({ baseUrl: base });
  const call =
    (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE') =>
    async (path: string, init?: { signal?: AbortSignal | null }): Promise<unknown> => {
      // The only cast: the types above promise what the document says.
      const request = typedClient[method] as (path: string, init?: object) => Promise<{ data?: unknown }>;
      let answer: Response | null = null;
      const fetch = async (request: Request) => {
        answer = await send(request);
        return answer;
      };
      try {
        return (await request(path, { ...init, fetch })).data;
      } catch (cause) {
        throw answer && !init?.signal?.aborted ? unreadableResponse(answer, cause) : cause;
      }
    };
  return {
    get: call('GET'),
    post: call('POST'),
    put: call('PUT'),
    patch: call('PATCH'),
    delete: call('DELETE'),
    fetch: (path, init) => send(new Request(base + path, init)),
    async upload(path, body, { method = 'POST', onProgress, signal, headers } = {}) {
      // Buffered as a whole, so that it has a length and can be sent again.
      const encoded = new Response(body);
      const type = encoded.headers.get('content-type');
      const request = new Request(base + path, {
        method,
        body: await encoded.blob(),
        signal: signal ?? null,
        headers: { ...(type && { 'content-type': type }), ...headers },
      });
      return send(request, onProgress && withProgress(transport, onProgress));
    },
  } as Client;
}

/**
 * Whether unknown fields of a write are refused with a suggestion rather than ignored. Strict everywhere except in
 * production and where the environment cannot be read, as in a browser.
 */
const prefersStrict = () =>
  typeof process !== 'undefined' && canReadEnvironment() && process.env.NODE_ENV !== 'production';

interface DenoPermissions {
  querySync?(permission: { name: 'env'; variable: string }): { state: string };
}

/** Whether `NODE_ENV` may be read: without `--allow-env`, Deno asks the user at the terminal, or throws. */
function canReadEnvironment(): boolean {
  const { Deno } = globalThis as { Deno?: { permissions?: DenoPermissions } };
  const permission = Deno?.permissions?.querySync?.({ name: 'env', variable: 'NODE_ENV' });
  return permission === undefined || permission.state === 'granted';
}

/** Returns the error for a successful answer that cannot be read: it broke off, or did not come from Waybill. */
const unreadableResponse = ({ status, headers }: Response, cause: unknown): WaybillError =>
  cause instanceof SyntaxError
    ? new WaybillError('unexpected_answer', 'The answer is no JSON: does Waybill answer there?', {
        status,
        headers,
        cause,
      })
    : new WaybillError('unreachable', 'The answer broke off.', { cause });

/**
 * Iterates over all pages of a list by cursor: `for await (const page of pages((after) => client.get(…)))`. Items that
 * are added or removed meanwhile make no other item appear twice or go missing (`decisions.md 11.3`).
 */
export async function* pages<Page extends { nextCursor: string | null }>(
  read: (after: string | undefined) => Promise<Page>,
): AsyncGenerator<Page, void> {
  let after: string | undefined;
  do {
    const page = await read(after);
    yield page;
    after = page.nextCursor ?? undefined;
  } while (after !== undefined);
}

/** Iterates over the items of all pages of a list: `for await (const order of items(pages(…), 'orders'))`. */
export async function* items<Key extends string, Item>(
  list: AsyncIterable<{ [K in Key]: readonly Item[] }>,
  key: Key,
): AsyncGenerator<Item, void> {
  for await (const page of list) yield* page[key];
}
