import createFetchClient, { type FetchResponse, type MaybeOptionalInit } from 'openapi-fetch';
import type { HttpMethod, PathsWithMethod, RequiredKeysOf } from 'openapi-typescript-helpers';
import type { paths } from './api.ts';
import { type Attempts, createAttempts } from './attempts.ts';
import { errorOf } from './errors.ts';

type InitOf<Init> = RequiredKeysOf<Init> extends never ? [init?: Init] : [init: Init];

/** Answers with the body; throws a `WaybillError` for every answer that is none of success. */
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
  /** A call that the document does not describe well: a download, an upload. Same credential, retries and errors. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
}

export interface ClientOptions extends Partial<Attempts> {
  /** Where Waybill is reached, such as `https://shop.example.com`. */
  baseUrl: string;
  /** An API key, an app token, or a user's access token; a function is asked before every request. */
  credential?: string | (() => string | null | Promise<string | null>);
}

/** A client of the API. Every call throws a `WaybillError` unless it succeeds. */
export function createClient({ baseUrl, credential, ...attempts }: ClientOptions): Client {
  const tried = createAttempts(attempts);
  const base = baseUrl.replace(/\/+$/, '');

  async function send(request: Request): Promise<Response> {
    const bearer = typeof credential === 'function' ? await credential() : credential;
    if (bearer) request.headers.set('authorization', `Bearer ${bearer}`);
    const response = await tried(request);
    if (response.ok || response.status === 304) return response;
    throw await errorOf(response);
  }

  const typed = createFetchClient<paths>({ baseUrl: base, fetch: send });
  const call =
    (method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE') =>
    async (path: string, init?: object): Promise<unknown> =>
      // One cast where the types above promise what the document says.
      (await (typed[method] as (path: string, init?: object) => Promise<{ data?: unknown }>)(path, init))
        .data;
  return {
    get: call('GET'),
    post: call('POST'),
    put: call('PUT'),
    patch: call('PATCH'),
    delete: call('DELETE'),
    fetch: (path, init) => send(new Request(base + path, init)),
  } as Client;
}

/**
 * All pages of a list, one after the other, by cursor: `for await (const page of pages((after) => client.get(…)))`.
 * What comes and goes meanwhile makes nothing appear twice or be missed (`decisions.md 11.3`).
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
