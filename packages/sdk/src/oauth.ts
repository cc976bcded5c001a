import { createAttempts } from './attempts.ts';
import { type Client, type ClientOptions, createClient } from './client.ts';
import { isWaybillError, readError, WaybillError } from './errors.ts';

/** An app's tokens for one store that has installed it (`decisions.md 7.7`): as secret as a password. */
export interface StoreTokens {
  storeId: string;
  accessToken: string;
  refreshToken: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
  scopes: string[];
}

/** The storage of an app's tokens, usually its database. */
export interface TokenStore {
  get(storeId: string): Promise<StoreTokens | null>;
  /** Resolves once the tokens are stored durably: if they are lost, only the merchant can grant new ones. */
  set(tokens: StoreTokens): Promise<void>;
  delete(storeId: string): Promise<void>;
  /**
   * Runs `work` while no other process runs any for the same store. Required if several processes share the tokens,
   * because two simultaneous refreshes end each other's tokens. By default only this process runs one at a time.
   */
  lock?<Result>(storeId: string, work: () => Promise<Result>): Promise<Result>;
}

export interface OAuthOptions extends Omit<ClientOptions, 'credential'> {
  /** The app's id (`app_…`). */
  clientId: string;
  clientSecret: string;
  /** One of the app's registered redirect URIs. */
  redirectUri: string;
  scopes: readonly string[];
  tokens: TokenStore;
  /** The issuer of the answer (RFC 9207), if it is not the origin of `baseUrl`. */
  issuer?: string;
  now?: () => number;
}

/** Values to keep in the merchant's own session until the merchant comes back. */
export interface Pending {
  state: string;
  codeVerifier: string;
}

export interface OAuth {
  /**
   * Returns the URL to send the merchant's browser to. Keep `pending` in their session (an `HttpOnly` cookie) for
   * `finish`.
   */
  begin(): Promise<{ url: string; pending: Pending }>;
  /**
   * Handles the browser's return to `redirectUri` and stores the store's tokens.
   * @throws WaybillError `state_mismatch` (another session began it, or none), `access_denied` and the other codes of
   * `decisions.md 14.1`, `invalid_grant`
   */
  finish(cameBackTo: string | URL, pending: Pending | null | undefined): Promise<StoreTokens>;
  /** Returns a client of a store's API. Its token is renewed before it expires, and once if it is refused. */
  client(storeId: string): Client;
  /** @throws WaybillError `not_installed`: the merchant has to go through `begin` (again) */
  accessToken(storeId: string, refused?: string): Promise<string>;
  /** Revokes and deletes the store's tokens. */
  revoke(storeId: string): Promise<void>;
}

/** A token that expires within this time is renewed first. */
const marginMs = 60_000;

/**
 * Creates the OAuth 2 part of an app: PKCE, state, and tokens for each store that has installed it (`decisions.md 7.7,
 * 14.1`).
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: its functions share the state of one closure
export function createOAuth({
  clientId,
  clientSecret,
  redirectUri,
  scopes,
  tokens: store,
  issuer,
  now = Date.now,
  ...options
}: OAuthOptions): OAuth {
  const base = options.baseUrl.replace(/(?<!\/)\/+$/, '');
  const tried = createAttempts(options);
  const withLock = store.lock?.bind(store) ?? createLocks();

  async function post(path: string, form: Record<string, string>, repeatable: boolean): Promise<Response> {
    const body = new URLSearchParams({ ...form, client_id: clientId, client_secret: clientSecret });
    const response = await tried(new Request(base + path, { method: 'POST', body }), { repeatable });
    if (!response.ok) throw await readError(response);
    return response;
  }

  async function requestTokens(form: Record<string, string>, repeatable: boolean): Promise<StoreTokens> {
    const answer = (await (await post('/oauth/token', form, repeatable)).json()) as {
      access_token: string;
      refresh_token: string;
      expires_in: number;
      scope: string;
      store_id: string;
    };
    const tokens = {
      storeId: answer.store_id,
      accessToken: answer.access_token,
      refreshToken: answer.refresh_token,
      expiresAt: now() + answer.expires_in * 1000,
      scopes: answer.scope.split(' '),
    };
    await store.set(tokens);
    return tokens;
  }

  async function accessToken(storeId: string, refused?: string): Promise<string> {
    const isGood = (tokens: StoreTokens) =>
      tokens.accessToken !== refused && tokens.expiresAt - now() > marginMs;
    const stored = await store.get(storeId);
    if (stored && isGood(stored)) return stored.accessToken;
    return withLock(storeId, async () => {
      // The previous holder of the lock may have renewed the token already.
      const tokens = await store.get(storeId);
      if (!tokens) throw new WaybillError('not_installed', `There are no tokens of the store ${storeId}.`);
      if (isGood(tokens)) return tokens.accessToken;
      const form = { grant_type: 'refresh_token', refresh_token: tokens.refreshToken };
      try {
        // This request may be repeated if its answer was lost, as long as the token it issued has not been used.
        return (await requestTokens(form, true)).accessToken;
      } catch (error) {
        if (!isWaybillError(error, 'invalid_grant')) throw error;
        await store.delete(storeId);
        const message = `The store ${storeId} has ended the app's access, or its tokens were used elsewhere.`;
        throw new WaybillError('not_installed', message, { cause: error });
      }
    });
  }

  return {
    async begin() {
      const [state, codeVerifier] = [random(), random()];
      const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(codeVerifier));
      const query = new URLSearchParams({
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: scopes.join(' '),
        state,
        code_challenge: base64url(new Uint8Array(digest)),
        code_challenge_method: 'S256',
      });
      return { url: `${base}/oauth/authorize?${query}`, pending: { state, codeVerifier } };
    },

    async finish(cameBackTo, pending) {
      const query = new URL(cameBackTo, redirectUri).searchParams;
      if (!pending?.state || !isSame(query.get('state') ?? '', pending.state))
        throw new WaybillError('state_mismatch', 'This browser has not begun that connection.');
      const expected = issuer ?? new URL(base).origin;
      if ((query.get('iss') ?? expected) !== expected)
        throw new WaybillError('state_mismatch', 'The answer comes from another server.');
      const error = query.get('error');
      if (error !== null) throw new WaybillError(error, query.get('error_description') ?? error);
      const form = {
        grant_type: 'authorization_code',
        code: query.get('code') ?? '',
        redirect_uri: redirectUri,
        code_verifier: pending.codeVerifier,
      };
      // A code works once: a second attempt would revoke the tokens of the first.
      return requestTokens(form, false);
    },

    accessToken,

    client: (storeId) => createClient({ ...options, credential: (refused) => accessToken(storeId, refused) }),

    async revoke(storeId) {
      await withLock(storeId, async () => {
        const tokens = await store.get(storeId);
        if (!tokens) return;
        await post('/oauth/revoke', { token: tokens.refreshToken }, true);
        await store.delete(storeId);
      });
    },
  };
}

/** Keeps tokens in memory, for tests and for a first try: a restart loses them. */
export function memoryTokens(): TokenStore {
  const held = new Map<string, StoreTokens>();
  return {
    get: async (storeId) => held.get(storeId) ?? null,
    set: async (tokens) => void held.set(tokens.storeId, tokens),
    delete: async (storeId) => void held.delete(storeId),
  };
}

/** Runs work one piece at a time for each key. */
function createLocks() {
  const lastByKey = new Map<string, Promise<unknown>>();
  return <Result>(key: string, work: () => Promise<Result>): Promise<Result> => {
    const result = (lastByKey.get(key) ?? Promise.resolve()).then(work, work);
    lastByKey.set(key, result);
    const forget = () => lastByKey.get(key) === result && lastByKey.delete(key);
    result.then(forget, forget);
    return result;
  };
}

const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)));

const base64url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** Compares two texts in constant time. */
function isSame(received: string, expected: string): boolean {
  if (received.length !== expected.length) return false;
  let difference = 0;
  for (let i = 0; i < expected.length; i++) difference |= received.charCodeAt(i) ^ expected.charCodeAt(i);
  return difference === 0;
}
