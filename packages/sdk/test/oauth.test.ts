import { createHash } from 'node:crypto';
import { createOAuth, memoryTokens, type StoreTokens } from '../src/index.ts';
import { dropped, json, startServer } from './server.ts';

let server: Awaited<ReturnType<typeof startServer>>;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

const redirectUri = 'https://app.example/cb';
const storedTokens = (expiresAt: number): StoreTokens => ({
  storeId: 'sto_1',
  accessToken: 'wba_old',
  refreshToken: 'wbr_old',
  scopes: ['appdata.read'],
  expiresAt,
});
const granted = (n: number) =>
  json(200, {
    access_token: `wba_${n}`,
    refresh_token: `wbr_${n}`,
    token_type: 'Bearer',
    expires_in: 3600,
    scope: 'appdata.read products.read',
    store_id: 'sto_1',
  });
const refused = (error: string) => json(400, { error, error_description: `It is ${error}.`, code: error });

function app(expiresAt?: number) {
  const tokens = memoryTokens();
  if (expiresAt !== undefined) void tokens.set(storedTokens(expiresAt));
  const oauth = createOAuth({
    baseUrl: server.baseUrl,
    clientId: 'app_1',
    clientSecret: 'secret',
    redirectUri,
    tokens,
    scopes: ['appdata.read', 'products.read'],
    sleep: async () => {},
    now: () => 1_000_000,
  });
  return { oauth, tokens };
}
const readForm = (at: number) => Object.fromEntries(new URLSearchParams(server.seen[at]!.body));

test('a browser goes with PKCE and comes back with a code, which becomes tokens that are kept', async () => {
  const { oauth, tokens } = app();
  const { url, pending } = await oauth.begin();
  const sent = new URL(url).searchParams;
  expect(sent.get('code_challenge')).toBe(
    createHash('sha256').update(pending.codeVerifier).digest('base64url'),
  );
  expect(sent.get('scope')).toBe('appdata.read products.read');
  server.answer(granted(1));
  const query = new URLSearchParams({ code: 'c', state: pending.state, iss: server.baseUrl });
  await oauth.finish(`${redirectUri}?${query}`, pending);
  expect(readForm(0)).toEqual({
    grant_type: 'authorization_code',
    code: 'c',
    redirect_uri: redirectUri,
    client_id: 'app_1',
    client_secret: 'secret',
    code_verifier: pending.codeVerifier,
  });
  expect(await tokens.get('sto_1')).toMatchObject({ accessToken: 'wba_1', expiresAt: 4_600_000 });
});

test('another browser, another server and a merchant who declines are told apart, and nothing is exchanged', async () => {
  const { oauth } = app();
  const { pending } = await oauth.begin();
  server.answer(granted(1));
  const finish = (query: Record<string, string>, from: typeof pending | null = pending) =>
    oauth.finish(`${redirectUri}?${new URLSearchParams(query)}`, from).catch(({ code }) => code);
  const { state } = pending;
  expect(await finish({ code: 'c', state: 'x'.repeat(state.length) })).toBe('state_mismatch');
  expect(await finish({ code: 'c' })).toBe('state_mismatch');
  expect(await finish({ code: 'c', state }, null)).toBe('state_mismatch');
  expect(await finish({ code: 'c', state: '' }, { state: '', codeVerifier: '' })).toBe('state_mismatch');
  expect(await finish({ code: 'c', state, iss: 'https://evil.example' })).toBe('state_mismatch');
  expect(await finish({ error: 'access_denied', state })).toBe('access_denied');
  expect(server.seen).toEqual([]);
});

test('a code is sent once, however its exchange ends', async () => {
  const { oauth } = app();
  const { pending } = await oauth.begin();
  server.answer(dropped, granted(1));
  const query = new URLSearchParams({ code: 'c', state: pending.state });
  await expect(oauth.finish(`${redirectUri}?${query}`, pending)).rejects.toMatchObject({
    code: 'unreachable',
  });
  expect(server.seen).toHaveLength(1);
});

test('many calls at once renew a token that ends once, and a lost answer is asked for again', async () => {
  const { oauth, tokens } = app(1_030_000);
  server.answer(dropped, granted(2));
  const given = await Promise.all(Array.from({ length: 10 }, () => oauth.accessToken('sto_1')));
  expect(new Set(given)).toEqual(new Set(['wba_2']));
  expect([0, 1].map((at) => readForm(at).refresh_token)).toEqual(['wbr_old', 'wbr_old']);
  expect(server.seen).toHaveLength(2);
  expect(await tokens.get('sto_1')).toMatchObject({ refreshToken: 'wbr_2' });
});

test('a token that is refused before its time is renewed once, and the call made again', async () => {
  const { oauth } = app(9_000_000);
  const revoked = json(401, { error: '', code: 'app_token_invalid' });
  server.answer(revoked, granted(2), json(200, { products: [], total: 0, nextCursor: null }), revoked);
  await oauth.client('sto_1').get('/api/v1/products');
  expect(server.seen.map(({ headers }) => headers.authorization)).toEqual([
    'Bearer wba_old',
    undefined,
    'Bearer wba_2',
  ]);
  // It is renewed once only: if the new token is refused too, the caller gets the error.
  server.answer(revoked, granted(3), revoked);
  await expect(oauth.client('sto_1').get('/api/v1/products')).rejects.toMatchObject({ status: 401 });
  expect(server.seen).toHaveLength(3);
});

test('a store that has ended the access is forgotten; a server that is away is not the store’s word', async () => {
  const { oauth, tokens } = app(0);
  server.answer(json(503, { error: '', code: 'resource_unavailable' }));
  await expect(oauth.accessToken('sto_1')).rejects.toMatchObject({ status: 503 });
  expect(await tokens.get('sto_1')).not.toBeNull();
  server.answer(refused('invalid_grant'));
  await expect(oauth.accessToken('sto_1')).rejects.toMatchObject({ code: 'not_installed' });
  expect(await tokens.get('sto_1')).toBeNull();
  await expect(oauth.accessToken('sto_1')).rejects.toMatchObject({ code: 'not_installed' });
});

test('revoking ends the tokens at the server, then forgets them', async () => {
  const { oauth, tokens } = app(9_000_000);
  server.answer(json(503, { error: '', code: 'resource_unavailable' }));
  await expect(oauth.revoke('sto_1')).rejects.toMatchObject({ status: 503 });
  expect(await tokens.get('sto_1')).not.toBeNull();
  server.answer(json(200, {}));
  await oauth.revoke('sto_1');
  expect(readForm(0)).toMatchObject({ token: 'wbr_old', client_id: 'app_1' });
  expect(await tokens.get('sto_1')).toBeNull();
});
