import { createAttempts } from './attempts.ts';
import { type Client, type ClientOptions, createClient } from './client.ts';
import { errorOf, isWaybillError, WaybillError } from './errors.ts';

/** What an app holds of one store that has it (`decisions.md 7.7`): as secret as a password. */
export interface StoreTokens {
  storeId: string;
  accessToken: string;
  refreshToken: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
  scopes: string[];
}

/** Where an app keeps its tokens: its database. */
export interface TokenStore {
  get(storeId: string): Promise<StoreTokens | null>;
  /** Resolves once they are kept for good: what is lost here can be had again from the merchant alone. */
  set(tokens: StoreTokens): Promise<void>;
  delete(storeId: string): Promise<void>;
  /**
   * Runs the work while nobody else, in any process, runs some for the same store. Needed where several processes share
   * the tokens: two that refresh at once end each other's. Default: one at a time in this process.
   */
  lock?<Result>(storeId: string, work: () => Promise<Result>): Promise<Result>;
}

export interface OAuthOptions extends Omit<ClientOptions, 'credential'> {
  /** The app's id (`app_…`). */
  clientId: string;
  clientSecret: string;
  /** One of those that the app is registered with. */
  redirectUri: string;
  scopes: readonly string[];
  tokens: TokenStore;
  /** Who answers (RFC 9207), where that is not the origin of `baseUrl`. */
  issuer?: string;
  now?: () => number;
}

/** What is kept in the merchant's own session, between the way there and the way back. */
export interface Pending {
  state: string;
  codeVerifier: string;
}

export interface OAuth {
  /** Where to send the merchant's browser; `pending` goes into their session (an `HttpOnly` cookie), to come back. */
  begin(): Promise<{ url: string; pending: Pending }>;
  /**
   * Takes the browser that came back to `redirectUri`, and keeps the store's tokens.
   * @throws WaybillError `state_mismatch` (another session began it, or none), `access_denied` and the other codes of
   * `decisions.md 14.1`, `invalid_grant`
   */
  finish(cameBackTo: string | URL, pending: Pending | null | undefined): Promise<StoreTokens>;
  /** A client of a store's API whose token is renewed before it ends, and once when it is refused. */
  client(storeId: string): Client;
  /** @throws WaybillError `not_installed`: the merchant has to come by `begin` (again) */
  accessToken(storeId: string, refused?: string): Promise<string>;
  /** Ends the store's tokens, and forgets them. */
  revoke(storeId: string): Promise<void>;
}

/** A token that ends within this time is renewed first. */
const marginMs = 60_000;

/** The OAuth 2 part of an app: PKCE, state, tokens for each store that has it (`decisions.md 7.7, 14.1`). */
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
  const inTurn = store.lock?.bind(store) ?? createLocks();

  async function post(path: string, form: Record<string, string>, repeatable: boolean): Promise<Response> {
    const body = new URLSearchParams({ ...form, client_id: clientId, client_secret: clientSecret });
    const response = await tried(new Request(base + path, { method: 'POST', body }), { repeatable });
    if (!response.ok) throw await errorOf(response);
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
    const held = await store.get(storeId);
    if (held && isGood(held)) return held.accessToken;
    return inTurn(storeId, async () => {
      // Who was before us may have done it.
      const tokens = await store.get(storeId);
      if (!tokens) throw new WaybillError('not_installed', `There are no tokens of the store ${storeId}.`);
      if (isGood(tokens)) return tokens.accessToken;
      const form = { grant_type: 'refresh_token', refresh_token: tokens.refreshToken };
      try {
        // May be repeated where its answer was lost, as long as what it gave is not used.
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
      // A code works once: a second try would end what the first has given.
      return requestTokens(form, false);
    },

    accessToken,

    client: (storeId) => createClient({ ...options, credential: (refused) => accessToken(storeId, refused) }),

    async revoke(storeId) {
      await inTurn(storeId, async () => {
        const tokens = await store.get(storeId);
        if (!tokens) return;
        await post('/oauth/revoke', { token: tokens.refreshToken }, true);
        await store.delete(storeId);
      });
    },
  };
}

/** Tokens in memory, for tests and for a first try: a restart forgets them. */
export function memoryTokens(): TokenStore {
  const held = new Map<string, StoreTokens>();
  return {
    get: async (storeId) => held.get(storeId) ?? null,
    set: async (tokens) => void held.set(tokens.storeId, tokens),
    delete: async (storeId) => void held.delete(storeId),
  };
}

/** Work for one key after the other. */
function createLocks() {
  const last = new Map<string, Promise<unknown>>();
  return <Result>(key: string, work: () => Promise<Result>): Promise<Result> => {
    const mine = (last.get(key) ?? Promise.resolve()).then(work, work);
    last.set(key, mine);
    const forget = () => last.get(key) === mine && last.delete(key);
    mine.then(forget, forget);
    return mine;
  };
}

const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)));

const base64url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** Takes as long however much of it is right. */
function isSame(given: string, expected: string): boolean {
  if (given.length !== expected.length) return false;
  let difference = 0;
  for (let i = 0; i < expected.length; i++) difference |= given.charCodeAt(i) ^ expected.charCodeAt(i);
  return difference === 0;
}
