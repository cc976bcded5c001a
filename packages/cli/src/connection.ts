import { type Client, createClient, isWaybillError, items, type Model, pages } from '@waybill/sdk';
import { changeCredentials, readCredentials, requestTimeoutMs } from './credentials.ts';
import { exitCodes, Failure } from './failure.ts';
import { readAppSettings } from './project.ts';

/** The options of every command. */
export interface GlobalOptions {
  url?: string;
  store?: string;
  json?: boolean;
}

const defaultUrl = 'http://127.0.0.1:8080';

/** A server together with the signed-in user or key. */
export interface Connection {
  url: string;
  client: Client;
  /** A key belongs to one store; a person chooses one. */
  isKey: boolean;
  /**
   * Sends a path and a body (a `Blob` as it is, anything else as JSON); returns the JSON of the answer, or null if it
   * is empty.
   */
  call<Answer>(method: string, path: string, body?: unknown): Promise<Answer>;
  /**
   * Returns the base path of a store's resources: the key's own store, or one of the person's (`decisions.md 10.1`).
   */
  storePath(): Promise<string>;
  /** Returns the id of that store; undefined for a key. */
  storeId(): Promise<string | undefined>;
}

/** Reduces an address to origin and path; the console's address becomes the server's. */
function normaliseUrl(input: string): string {
  let url: URL;
  try {
    url = new URL(/^[a-z][a-z\d+.-]*:\/\//i.test(input) ? input : `http://${input}`);
    if (!/^https?:$/.test(url.protocol)) throw new TypeError('another protocol');
  } catch {
    throw new Failure(`${input} is not the address of a server.`, {
      code: 'usage',
      exitCode: exitCodes.usage,
      remedy: `An address is for example ${defaultUrl}.`,
    });
  }
  return `${url.origin}${url.pathname.replace(/\/console(?:$|\/.*)/s, '')}`.replace(/(?<!\/)\/+$/, '');
}

/** Returns the address from `--url`, from WAYBILL_URL, or of the last sign-in. */
export const resolveUrl = (input: string | undefined, credentials: { url?: string }): string =>
  normaliseUrl(input ?? (process.env.WAYBILL_URL || credentials.url || defaultUrl));

/** Connects to the server of `--url`, WAYBILL_URL or the last sign-in, with the credential stored for it. */
export async function connect({ url: urlOption, store }: GlobalOptions): Promise<Connection> {
  const credentials = await readCredentials();
  const url = resolveUrl(urlOption, credentials);
  const profile = credentials.profiles[url];
  const apiKey = process.env.WAYBILL_API_KEY || profile?.apiKey;
  if (!apiKey && !profile?.refreshToken)
    throw new Failure(`Nobody is signed in at ${url}.`, {
      code: 'missing_credential',
      exitCode: exitCodes.notSignedIn,
      remedy: 'Sign in: `waybill login`, or set WAYBILL_API_KEY.',
    });
  const client = createClient({
    baseUrl: url,
    credential: apiKey ?? ((refused) => accessToken(url, refused)),
  });
  const call = createCaller(client);

  let chosen: Promise<string> | undefined;
  async function storeId() {
    if (apiKey) return undefined;
    chosen ??= chooseStore(call, store);
    return chosen;
  }
  return {
    url,
    client,
    call,
    isKey: apiKey !== undefined,
    storeId,
    storePath: async () => (apiKey ? '/api/v1' : `/api/stores/${await storeId()}`),
  };
}

/** Returns the function that sends and receives JSON. */
export function createCaller(client: Client): Connection['call'] {
  return async <Answer>(method: string, path: string, body?: unknown) => {
    const { text, isJson } = await sendRequest(client, method, path, body);
    if (isJson) return JSON.parse(text) as Answer;
    if (text === '') return null as Answer;
    throw new Failure('The server at this address is not Waybill.', {
      code: 'unexpected_answer',
      remedy: 'Is the address right? `waybill login --url <address>`.',
    });
  };
}

/** Sends JSON, or a `Blob` as it is; returns the text of the answer, which is JSON except for pages and files. */
export async function sendRequest(
  client: Client,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ text: string; isJson: boolean }> {
  const json = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const content = body === undefined ? {} : body instanceof Blob ? { body } : json;
  const answer = await client.fetch(path, { method, ...content });
  const text = await answer.text();
  const isJson = text !== '' && /[/+]json\b/.test(answer.headers.get('content-type') ?? '');
  return { text, isJson };
}

/** Returns all rows of a list across all its pages. */
export async function readList<Row>(call: Connection['call'], path: string, key: string): Promise<Row[]> {
  const list = pages((after) => {
    const query = new URLSearchParams({ limit: '200', ...(after && { after }) });
    return call<Record<string, Row[]> & { nextCursor: string | null }>('GET', `${path}?${query}`);
  });
  const rows: Row[] = [];
  for await (const row of items(list, key)) rows.push(row);
  return rows;
}

async function chooseStore(call: Connection['call'], input: string | undefined): Promise<string> {
  const requested = input ?? (process.env.WAYBILL_STORE || (await readAppSettings(process.cwd())).storeId);
  if (requested?.startsWith('str_')) return requested;
  const stores = await readList<Model<'Store'>>(call, '/api/stores', 'stores');
  const found = requested ? stores.filter(({ slug }) => slug === requested) : stores;
  if (found.length === 1) return found[0]!.id;
  const names = stores.slice(0, 10).map(({ id, slug }) => `\n  ${id}  ${slug}`);
  throw new Failure(
    requested
      ? `You have no store ${requested}.`
      : stores.length === 0
        ? 'You have no store.'
        : 'You have several stores.',
    {
      code: 'store_required',
      exitCode: exitCodes.usage,
      remedy:
        stores.length === 0 ? 'Create one in the console.' : `Choose one with --store:${names.join('')}`,
    },
  );
}

/** A token that expires within this time is renewed first. */
const marginMs = 30_000;

/** Returns the user's access token. It is renewed if it expires or was refused, by one command at a time. */
async function accessToken(url: string, refused?: string): Promise<string> {
  const current = validToken((await readCredentials()).profiles[url], refused);
  if (current) return current;
  const { profiles } = await changeCredentials(async ({ profiles }) => {
    const profile = profiles[url];
    if (validToken(profile, refused)) return;
    const ended = new Failure(`Your session at ${url} has ended.`, {
      code: 'invalid_credential',
      exitCode: exitCodes.notSignedIn,
      remedy: 'Sign in again: `waybill login`.',
    });
    if (!profile?.refreshToken) throw ended;
    const anonymous = createClient({
      baseUrl: url,
      fetch: (request) => fetch(request, { signal: AbortSignal.timeout(requestTimeoutMs) }),
    });
    try {
      const renewed = await anonymous.post('/api/auth/refresh', {
        body: { refreshToken: profile.refreshToken },
      });
      profiles[url] = { ...profile, ...pickTokens(renewed) };
    } catch (error) {
      if (isWaybillError(error) && error.status === 401) throw ended;
      throw error;
    }
  });
  return profiles[url]!.accessToken!;
}

function validToken(profile: { accessToken?: string; expiresAt?: string } | undefined, refused?: string) {
  const { accessToken, expiresAt } = profile ?? {};
  const isGood = accessToken !== refused && Date.parse(expiresAt ?? '') - Date.now() > marginMs;
  return isGood ? accessToken : undefined;
}

/** Returns the stored part of a sign-in. */
export const pickTokens = ({ accessToken, expiresAt, refreshToken }: Model<'SignedIn'>) => ({
  accessToken,
  expiresAt,
  ...(refreshToken && { refreshToken }),
});
