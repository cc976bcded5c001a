import { hashCredential, newId, type Permission, permissions } from '@waybill/contracts';
import { eventually } from '@waybill/testing';
import fc from 'fast-check';
import { sql } from 'kysely';
import request from 'supertest';
import { buildAddresses } from '../src/oauth/addresses.ts';
import {
  codeChallenge,
  codeVerifier,
  type Marketplace,
  redirectUri,
  type Store,
  startMarketplace,
} from './marketplace.ts';

const scopes: Permission[] = ['products.read', 'appdata.write'];
const more: Permission[] = [...scopes, 'orders.read'];

let market: Marketplace;
let app: { appId: string; secret: string };
let issuer: string;
beforeAll(async () => {
  market = await startMarketplace();
  issuer = new URL(market.system.internalUrl).origin;
  app = await approvedApp();
});
afterAll(() => market.stop());

async function approvedApp() {
  const created = await market.newApp();
  await market.approve(await market.addVersion(created.appId, scopes));
  return created;
}

const createQuery = () => ({
  response_type: 'code',
  client_id: app.appId,
  redirect_uri: redirectUri,
  scope: scopes.join(' '),
  state: 'xyz',
  code_challenge: codeChallenge,
  code_challenge_method: 'S256',
});
type AuthorizeQuery = Partial<Record<keyof ReturnType<typeof createQuery> | 'response_mode', string>>;

/** Requests /oauth/authorize like a merchant's browser. An empty value counts as absent. */
const visit = (query: string) =>
  request(market.system.internalUrl).get(`/oauth/authorize?${query}`).redirects(0);
const requestAuthorize = (extra: AuthorizeQuery = {}) =>
  visit(new URLSearchParams({ ...createQuery(), ...extra }).toString());

/** Returns the parameters of a redirect to the app that are not part of the registered address. */
function carried(location: string): Record<string, string> {
  expect(location.startsWith(`${redirectUri}&`)).toBe(true);
  return Object.fromEntries(new URLSearchParams(location.slice(redirectUri.length + 1)));
}
const refused = (error: string, state: string | null = 'xyz') => ({
  error,
  error_description: expect.any(String),
  iss: issuer,
  ...(state !== null && { state }),
});

describe('GET /.well-known/oauth-authorization-server', () => {
  test('describes the endpoints, under the requested address', async () => {
    const res = await request(issuer).get('/.well-known/oauth-authorization-server');
    expect(res.status).toBe(200);
    expect(res.body).toMatchObject({
      issuer,
      authorization_endpoint: `${issuer}/oauth/authorize`,
      token_endpoint: `${issuer}/oauth/token`,
      revocation_endpoint: `${issuer}/oauth/revoke`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      authorization_response_iss_parameter_supported: true,
      scopes_supported: permissions,
    });
  });
});

test('the issuer is the system’s public origin, for any requested host', () => {
  const headers = { host: 'inside:8080', 'x-waybill-host': 'asked.example' };
  expect(buildAddresses({ publicBaseUrl: 'https://waybill.example:8443/shops' }, headers)).toEqual({
    base: 'https://waybill.example:8443/shops',
    issuer: 'https://waybill.example:8443',
  });
  const origin = 'http://asked.example';
  expect(buildAddresses({ publicBaseUrl: '' }, headers)).toEqual({ base: origin, issuer: origin });
});

describe('GET /oauth/authorize', () => {
  test('redirects a valid request unchanged to the consent page', async () => {
    const res = await requestAuthorize({ state: 'a b&c=d#é"<' });
    expect(res.status).toBe(302);
    expect(res.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    const page = new URL(res.headers.location!);
    expect(page.origin + page.pathname).toBe(`${issuer}/console/oauth/authorize`);
    expect(Object.fromEntries(page.searchParams)).toEqual({ ...createQuery(), state: 'a b&c=d#é"<' });
  });
  test.each<[string, AuthorizeQuery]>([
    ['no scope', { scope: '' }],
    ['no state', { state: '' }],
    ['less than the app asks for', { scope: 'products.read' }],
    ['a response_mode that says nothing new', { response_mode: 'query' }],
  ])('takes a request with %s', async (_, extra) => {
    const { status, headers } = await requestAuthorize(extra);
    expect(status).toBe(302);
    expect(headers.location).toMatch(`${issuer}/console/oauth/authorize?`);
  });

  test.each<[string, string, AuthorizeQuery]>([
    ['invalid_request', 'no response_type', { response_type: '' }],
    ['unsupported_response_type', 'another response_type', { response_type: 'token' }],
    ['invalid_request', 'another response_mode', { response_mode: 'fragment' }],
    ['invalid_request', 'no challenge', { code_challenge: '' }],
    ['invalid_request', 'a challenge that is none', { code_challenge: 'short' }],
    ['invalid_request', 'no method, which means plain', { code_challenge_method: '' }],
    ['invalid_request', 'the method plain', { code_challenge_method: 'plain' }],
    ['invalid_scope', 'a scope that the app never asked for', { scope: 'products.read orders.read' }],
    ['invalid_scope', 'a scope that is none', { scope: 'everything' }],
  ])('tells the app %s by redirect, with state and iss, for %s', async (error, _, extra) => {
    const res = await requestAuthorize(extra);
    expect(res.status).toBe(302);
    expect(carried(res.headers.location!)).toEqual(refused(error));
  });
  test('returns invalid_request for a repeated parameter, without an ambiguous state', async () => {
    const twice = async (name: string) => {
      const res = await visit(`${new URLSearchParams(createQuery())}&${name}=other`);
      return carried(res.headers.location!);
    };
    expect(await twice('scope')).toEqual(refused('invalid_request'));
    expect(await twice('anything=1&anything')).toEqual(refused('invalid_request'));
    expect(await twice('state')).toEqual(refused('invalid_request', null));
  });
  test('returns invalid_request for a state of over 2,000 characters, with the state', async () => {
    const state = 'é'.repeat(2001);
    expect(carried((await requestAuthorize({ state })).headers.location!)).toEqual(
      refused('invalid_request', state),
    );
    expect((await requestAuthorize({ state: state.slice(1) })).headers.location).toMatch('/console/');
  });
  test('returns unauthorized_client while it is suspended', async () => {
    const { appId: client_id } = await approvedApp();
    await market.suspend(client_id);
    expect(carried((await requestAuthorize({ client_id })).headers.location!)).toEqual(
      refused('unauthorized_client'),
    );
    await market.unsuspend(client_id);
    expect((await requestAuthorize({ client_id })).headers.location).toMatch('/console/');
  });
  test('of an app that was never approved, does not reveal its drafts’ scopes', async () => {
    const { appId: client_id } = await market.newApp();
    await market.addVersion(client_id, scopes);
    for (const scope of ['products.read', 'theme.write']) {
      expect((await requestAuthorize({ client_id, scope })).headers.location).toMatch('/console/');
    }
    expect(carried((await requestAuthorize({ client_id, scope: 'all' })).headers.location!)).toEqual(
      refused('invalid_scope'),
    );
  });
  test('returns temporarily_unavailable if the database is unreachable, and server_error if it is broken', async () => {
    await market.db.transaction().execute(async (trx) => {
      await sql`lock table app_version`.execute(trx);
      const waiting = requestAuthorize().then(({ headers }) => headers.location!);
      // Poll outside that transaction, which would always see the same snapshot of activity.
      await eventually(async () => {
        const { rows } = await sql<{ ended: boolean }>`
          select pg_cancel_backend(pid) as ended from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock' and query like '%unnest(scopes)%'
        `.execute(market.db);
        return rows.length > 0;
      });
      expect(carried(await waiting)).toEqual(refused('temporarily_unavailable'));
    });
    await sql`alter table app_version rename to app_version_away`.execute(market.db);
    try {
      expect(carried((await requestAuthorize()).headers.location!)).toEqual(refused('server_error'));
    } finally {
      await sql`alter table app_version_away rename to app_version`.execute(market.db);
    }
  });

  describe('shows a page and redirects nowhere', () => {
    const expectPage = (res: { status: number; text: string; headers: Record<string, string> }) => {
      expect(res.status).toBe(400);
      expect(res.headers.location).toBeUndefined();
      expect(res.headers).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
      });
      const policy = res.headers['content-security-policy']!;
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
    };
    test.each<[string, AuthorizeQuery]>([
      ['no client', { client_id: '' }],
      ['a client that is none', { client_id: '<script>' }],
      ['a client that never was', { client_id: newId('app') }],
      ['no address', { redirect_uri: '' }],
      ['an address with more behind it', { redirect_uri: `${redirectUri}&x=1` }],
      ['the address written otherwise', { redirect_uri: redirectUri.replace('%20', '+') }],
      ['an address with a fragment', { redirect_uri: `${redirectUri}#x` }],
      ["an address of somebody's", { redirect_uri: 'https://evil.example.com/' }],
      ['a script', { redirect_uri: 'javascript:alert(1)' }],
    ])('for %s', async (_, extra) => {
      expectPage(await requestAuthorize(extra));
    });
    test('for a repeated client or address, and for a missing one', async () => {
      expectPage(await visit(`${new URLSearchParams(createQuery())}&client_id=${app.appId}`));
      expectPage(await visit(`${new URLSearchParams(createQuery())}&redirect_uri=https://evil.example.com/`));
      expectPage(await request(issuer).get('/oauth/authorize').redirects(0));
    });
    test('whatever is sent: nothing of it stands in the page, nor leads anywhere', async () => {
      const hostile = fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.webUrl(),
        fc.constantFrom('"><script>alert(1)</script>', "'-alert(1)-'", '\r\nlocation: https://evil.example/'),
      );
      const plain = (await requestAuthorize({ redirect_uri: 'x' })).text;
      await fc.assert(
        fc.asyncProperty(hostile, hostile, async (address, state) => {
          const res = await requestAuthorize({ redirect_uri: address, state, scope: state });
          expectPage(res);
          expect(res.text).toBe(plain);
        }),
        { numRuns: 60 },
      );
    });
  });

  test('whatever state and scope are sent, the app gets its own state back and nothing besides', async () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      fc.constantFrom(
        '&code=stolen',
        '#&error=',
        '\r\nset-cookie: a=b',
        '%0d%0a',
        '&iss=https://evil.example',
      ),
    );
    await fc.assert(
      fc.asyncProperty(hostile, hostile, async (state, scope) => {
        const { status, headers } = await requestAuthorize({ state, scope, response_type: 'token' });
        expect(status).toBe(302);
        expect(headers.location).toMatch(/^[\x21-\x7e]+$/);
        expect(carried(headers.location!)).toEqual(
          refused('unsupported_response_type', state.toWellFormed() || null),
        );
        const good = await requestAuthorize({ state });
        const { searchParams, pathname, origin } = new URL(good.headers.location!);
        expect([origin, pathname]).toEqual([issuer, '/console/oauth/authorize']);
        expect(searchParams.getAll('state')).toEqual(state === '' ? [] : [state.toWellFormed()]);
        expect(searchParams.getAll('redirect_uri')).toEqual([redirectUri]);
      }),
      { numRuns: 60 },
    );
  });
});

describe('POST /api/stores/{storeId}/apps/{appId}/authorize', () => {
  const consent = (extra: object = {}) => ({ scopes, redirectUri, state: 'x&y', codeChallenge, ...extra });
  const authorize = (store: Store, extra: object = {}, appId = app.appId) =>
    store.post(`/${appId}/authorize`, consent(extra));
  const readInstall = async (store: Store, appId = app.appId) => (await store.get(`/${appId}`)).body.install;
  const refusal = (status: number, code: string) => ({ status, body: { code } });

  /** Exchanges a redirect's code for tokens. */
  async function exchange({ body }: { body: { redirectTo: string } }, of = app) {
    const { code, ...rest } = carried(body.redirectTo);
    expect(rest).toEqual({ state: 'x&y', iss: issuer });
    const form = {
      grant_type: 'authorization_code',
      code: code!,
      redirect_uri: redirectUri,
      code_verifier: codeVerifier,
      client_id: of.appId,
      client_secret: of.secret,
    };
    return market.oauth('token', form);
  }
  const isGood = async (token: string) =>
    (await market.internal('app-tokens/resolve', { hash: hashCredential(token) })).status === 200;

  test('installs a new app, and one that was uninstalled', async () => {
    const store = market.newStore();
    for (let i = 0; i < 2; i++) {
      const res = await authorize(store);
      expect(res.status).toBe(200);
      expect(Object.keys(res.body)).toEqual(['redirectTo']);
      expect((await exchange(res)).body.scope).toBe(scopes.join(' '));
      expect(await readInstall(store)).toMatchObject({ state: 'installed', grantedScopes: scopes });
      await store.delete(`/${app.appId}`);
    }
  });

  test('keeps the installed version and its consent, and replaces the old tokens', async () => {
    const other = await approvedApp();
    const store = market.newStore();
    const first = (await exchange(await authorize(store, {}, other.appId), other)).body;
    const before = await readInstall(store, other.appId);
    await market.approve(await market.addVersion(other.appId, more));
    for (const agreed of [scopes, more, []]) {
      expect((await authorize(store, { scopes: agreed }, other.appId)).status).toBe(200);
    }
    expect(await isGood(first.access_token)).toBe(true);
    const { status, body } = await exchange(await authorize(store, {}, other.appId), other);
    expect([status, body.scope, body.store_id]).toEqual([200, scopes.join(' '), store.storeId]);
    expect(await isGood(body.access_token)).toBe(true);
    expect(await isGood(first.access_token)).toBe(false);
    const { waitingVersionId, ...after } = await readInstall(store, other.appId);
    expect({ ...after, waitingVersionId: null }).toEqual(before);
    expect(waitingVersionId).toEqual(expect.any(String));
  });

  test('the old refresh token is refused and does not end the new ones', async () => {
    const store = market.newStore();
    const first = (await exchange(await authorize(store))).body;
    const second = (await exchange(await authorize(store))).body;
    const refresh = (refresh_token: string) =>
      market.oauth('token', {
        grant_type: 'refresh_token',
        refresh_token,
        client_id: app.appId,
        client_secret: app.secret,
      });
    expect(await refresh(first.refresh_token)).toMatchObject(refusal(400, 'invalid_grant'));
    expect((await refresh(second.refresh_token)).status).toBe(200);
  });

  test('an install remains authorised when every version is withdrawn', async () => {
    const other = await market.newApp();
    const versionId = await market.addVersion(other.appId, scopes);
    await market.approve(versionId);
    const store = market.newStore();
    expect((await authorize(store, {}, other.appId)).status).toBe(200);
    await market.withdraw(versionId);
    expect((await exchange(await authorize(store, {}, other.appId), other)).status).toBe(200);
    expect(await authorize(market.newStore(), {}, other.appId)).toMatchObject(refusal(409, 'invalid_state'));
  });

  test('of twenty simultaneous requests all redirect back and one installs; the last code works', async () => {
    const store = market.newStore();
    const all = await Promise.all(Array.from({ length: 20 }, () => authorize(store)));
    expect(all.map(({ status }) => status)).toEqual(Array(20).fill(200));
    const tokens = [];
    for (const res of all) tokens.push(await exchange(res));
    expect(tokens.filter(({ status }) => status === 200).length).toBe(1);
    await eventually(() => market.heard.some(({ storeId }) => storeId === store.storeId));
    expect(market.heard.filter(({ storeId }) => storeId === store.storeId).length).toBe(1);
  });

  test('409 invalid_state for a disabled install and a suspended app', async () => {
    const other = await approvedApp();
    const store = market.newStore();
    await authorize(store, {}, other.appId);
    await store.post(`/${other.appId}/disable`);
    expect(await authorize(store, {}, other.appId)).toMatchObject(refusal(409, 'invalid_state'));
    await store.delete(`/${other.appId}/disable`);
    await market.suspend(other.appId);
    for (const each of [store, market.newStore()]) {
      expect(await authorize(each, {}, other.appId)).toMatchObject(refusal(409, 'invalid_state'));
    }
  });

  test('409 consent_required for other scopes than the newest version asks for; nothing is installed', async () => {
    for (const agreed of [[], more, ['products.read']]) {
      const store = market.newStore();
      const res = await authorize(store, { scopes: agreed });
      expect(res).toMatchObject({ status: 409, body: { code: 'consent_required', scopes } });
      expect((await store.get(`/${app.appId}`)).status).toBe(404);
    }
  });

  test('declining redirects back with access_denied, and changes nothing', async () => {
    const store = market.newStore();
    const res = await authorize(store, { decline: true });
    expect(res.status).toBe(200);
    expect(carried(res.body.redirectTo)).toEqual({ error: 'access_denied', state: 'x&y', iss: issuer });
    expect((await store.get(`/${app.appId}`)).status).toBe(404);
    await authorize(store);
    const before = await readInstall(store);
    await authorize(store, { decline: true });
    expect(await readInstall(store)).toEqual(before);
  });

  test('an address that is not registered is invalid_body, agreed or declined; no challenge is invalid_request', async () => {
    for (const extra of [{}, { decline: true }]) {
      const res = await authorize(market.newStore(), { ...extra, redirectUri: 'https://evil.example.com/' });
      expect(res).toMatchObject({
        status: 400,
        body: { code: 'invalid_body', details: [{ pointer: '/redirectUri' }] },
      });
    }
    const without = await authorize(market.newStore(), { codeChallenge: undefined });
    expect(without).toMatchObject(refusal(400, 'invalid_request'));
    const wrong = await authorize(market.newStore(), { codeChallenge: 'short' });
    expect(wrong).toMatchObject(refusal(400, 'invalid_body'));
  });

  test('wants integrations.write; an app that nobody is to know of is 404, declined too', async () => {
    const store = market.newStore();
    expect(await authorize(market.newStore(store.storeId, 'editor'))).toMatchObject(
      refusal(403, 'insufficient_role'),
    );
    const { appId } = await market.newApp();
    for (const extra of [{}, { decline: true }]) {
      expect((await authorize(store, extra, appId)).status).toBe(404);
      expect((await authorize(store, extra, newId('app'))).status).toBe(404);
    }
  });
});
