import { hashCredential, isWellFormedCredential, type Permission } from '@waybill/contracts';
import fc from 'fast-check';
import request from 'supertest';
import { sweepTokens } from '../src/oauth/tokens.ts';
import {
  codeChallenge,
  codeVerifier,
  type Marketplace,
  redirectUri,
  type Store,
  startMarketplace,
} from './marketplace.ts';

let market: Marketplace;
let app: { appId: string; secret: string };
beforeAll(async () => {
  market = await startMarketplace();
  app = await market.newApp();
  await market.approve(await market.addVersion(app.appId, scopes));
});
afterAll(() => market.stop());

const scopes: Permission[] = ['products.read', 'appdata.write'];

const client = () => ({ client_id: app.appId, client_secret: app.secret });

const consent = (extra: object = {}) => ({ scopes, redirectUri, state: 'xyz', codeChallenge, ...extra });

/** Installs the app in a store and returns the parameters of its redirect. */
async function install(store: Store, extra: object = {}) {
  const res = await store.post(`/${app.appId}/install`, consent(extra));
  expect(res.status).toBe(201);
  const target = new URL(res.body.redirectTo);
  return { code: target.searchParams.get('code')!, target };
}

const exchange = (code: string, extra: Record<string, string> = {}) =>
  market.oauth('token', {
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: codeVerifier,
    ...client(),
    ...extra,
  });
const refresh = (refreshToken: string, extra: Record<string, string> = {}) =>
  market.oauth('token', { grant_type: 'refresh_token', refresh_token: refreshToken, ...client(), ...extra });

interface Pair {
  access_token: string;
  refresh_token: string;
}
async function newPair(store = market.newStore()): Promise<Pair & { store: Store }> {
  const { code } = await install(store);
  const res = await exchange(code);
  expect(res.status).toBe(200);
  return { ...res.body, store };
}

const resolve = (token: string) => market.internal('app-tokens/resolve', { hash: hashCredential(token) });
const isGood = async (token: string) => {
  const { status, body } = await resolve(token);
  return status === 200 && body.outcome === 'ok';
};
const repeat = <Result>(times: number, work: (i: number) => PromiseLike<Result>) =>
  Promise.all(Array.from({ length: times }, (_, i) => work(i)));
const refused = (code: string, status = 400) => ({
  status,
  body: { error: code, code, error_description: expect.any(String) },
});

describe('POST /oauth/token with a code', () => {
  test('returns the first tokens of the install, which are stored only as hashes', async () => {
    const store = market.newStore();
    const { code, target } = await install(store);
    const iss = encodeURIComponent(new URL(market.system.internalUrl).origin);
    expect(target.href).toBe(`${redirectUri}&code=${code}&state=xyz&iss=${iss}`);
    const res = await exchange(code);
    expect(res.status).toBe(200);
    expect(res.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
    expect(res.body).toEqual({
      access_token: expect.stringMatching(/^wba_/),
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: expect.stringMatching(/^wbr_/),
      scope: 'products.read appdata.write',
      store_id: store.storeId,
    });
    expect(isWellFormedCredential(res.body.access_token)).toBe(true);
    const stored = JSON.stringify([
      await market.db.selectFrom('app_token').selectAll().execute(),
      await market.db.selectFrom('oauth_code').selectAll().execute(),
    ]);
    for (const secret of [code, res.body.access_token, res.body.refresh_token]) {
      expect(stored).toContain(hashCredential(secret));
      expect(stored).not.toContain(secret);
    }
    const { id } = (await store.get(`/${app.appId}`)).body.install;
    expect((await resolve(res.body.access_token)).body).toEqual({
      epoch: expect.any(String),
      storeId: store.storeId,
      outcome: 'ok',
      principal: { kind: 'app', storeId: store.storeId, appId: app.appId, installId: id, scopes },
      expiresAt: expect.any(Number),
    });
  });

  test('also accepts JSON, and HTTP Basic, form-encoded as in RFC 6749', async () => {
    const json = await request(market.system.internalUrl)
      .post('/oauth/token')
      .send({
        grant_type: 'authorization_code',
        code: (await install(market.newStore())).code,
        redirect_uri: redirectUri,
        code_verifier: codeVerifier,
        scope: null,
        ...client(),
      });
    expect(json.status).toBe(200);
    const basic = `Basic ${Buffer.from(`${app.appId}:${app.secret.replaceAll(' ', '+')}`).toString('base64')}`;
    const { code } = await install(market.newStore());
    const form = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      code_verifier: codeVerifier,
      client_id: app.appId,
    };
    expect((await market.oauth('token', form, { authorization: basic })).status).toBe(200);
  });

  test('a code that is used twice is invalid_grant, and its tokens are revoked', async () => {
    const { code } = await install(market.newStore());
    const { body } = await exchange(code);
    expect(await isGood(body.access_token)).toBe(true);
    const { epoch } = (await resolve(body.access_token)).body;
    expect(await exchange(code)).toMatchObject(refused('invalid_grant'));
    expect((await resolve(body.access_token)).status).toBe(404);
    expect(await refresh(body.refresh_token)).toMatchObject(refused('invalid_grant'));
    expect(epoch).toEqual(expect.any(String));
  });

  test('of twenty simultaneous exchanges of a code at most one succeeds, and the others revoke its tokens', async () => {
    const { code } = await install(market.newStore());
    const all = await repeat(20, () => exchange(code));
    const given = all.filter(({ status }) => status === 200);
    expect(given.length).toBe(1);
    expect(all.filter(({ status }) => status === 400).length).toBe(19);
    expect(await isGood(given[0]!.body.access_token)).toBe(false);
  });

  test('a code is good for 60 seconds', async () => {
    const before = Date.now();
    const { code } = await install(market.newStore());
    const after = Date.now();
    const row = market.db.selectFrom('oauth_code').where('hash', '=', hashCredential(code));
    const { expires_at } = await row.select('expires_at').executeTakeFirstOrThrow();
    expect(expires_at.getTime()).toBeGreaterThanOrEqual(before + 60_000);
    expect(expires_at.getTime()).toBeLessThanOrEqual(after + 60_000);
    await market.db
      .updateTable('oauth_code')
      .set({ expires_at: new Date(Date.now() - 1) })
      .where('hash', '=', hashCredential(code))
      .execute();
    expect(await exchange(code)).toMatchObject(refused('invalid_grant'));
  });

  test.each([
    ['another redirect_uri', { redirect_uri: 'https://app.example.com/installed' }],
    ['a code that never was', { code: 'x' }],
    ['another verifier', { code_verifier: `${codeVerifier}x` }],
    ['the challenge as verifier', { code_verifier: codeChallenge }],
    ['no verifier', { code_verifier: '' }],
  ])('invalid_grant for %s', async (_, extra: Record<string, string>) => {
    const { code } = await install(market.newStore());
    expect(await exchange(code, extra)).toMatchObject(refused('invalid_grant'));
    expect((await exchange(code)).status).toBe(200);
  });

  test("invalid_grant for another app's code, which stays good", async () => {
    const { code } = await install(market.newStore());
    const other = await market.newApp();
    const extra = { client_id: other.appId, client_secret: other.secret };
    expect(await exchange(code, extra)).toMatchObject(refused('invalid_grant'));
    expect((await exchange(code)).status).toBe(200);
    expect(await exchange(code, extra)).toMatchObject(refused('invalid_grant'));
  });

  describe('with PKCE', () => {
    test('400 invalid_request at the install for a code without a challenge', async () => {
      const res = await market
        .newStore()
        .post(`/${app.appId}/install`, consent({ codeChallenge: undefined }));
      expect(res).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    });
    test.each([
      { codeChallenge: 'short' },
      { codeChallenge: `${codeChallenge}=` },
      { codeChallenge: 7 },
      { codeChallenge, codeChallengeMethod: 'plain' },
    ])('400 invalid_body at the install for %j', async (extra) => {
      const res = await market.newStore().post(`/${app.appId}/install`, consent(extra));
      expect(res).toMatchObject({ status: 400, body: { code: 'invalid_body' } });
    });
  });
});

describe('POST /oauth/token with a refresh token', () => {
  test('rotates it; earlier access tokens go on', async () => {
    let pair: Pair = await newPair();
    const access: string[] = [];
    for (let i = 0; i < 3; i++) {
      access.push(pair.access_token);
      expect(await isGood(pair.access_token)).toBe(true);
      const res = await refresh(pair.refresh_token);
      expect(res.status).toBe(200);
      expect(res.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
      expect(res.body.refresh_token).not.toBe(pair.refresh_token);
      pair = res.body;
    }
    for (const token of access) expect(await isGood(token)).toBe(true);
  });

  test('may be repeated while the answer is unused, which retires the lost pair', async () => {
    const first = await newPair();
    const lost: Pair = (await refresh(first.refresh_token)).body;
    const second: Pair = (await refresh(first.refresh_token)).body;
    expect(await isGood(lost.access_token)).toBe(false);
    expect(await refresh(lost.refresh_token)).toMatchObject(refused('invalid_grant'));
    expect(await isGood(second.access_token)).toBe(true);
    expect((await refresh(second.refresh_token)).status).toBe(200);
  });

  test.each([
    ['the new access token', (pair: Pair) => resolve(pair.access_token)],
    ['the new refresh token', (pair: Pair) => refresh(pair.refresh_token)],
  ])('after the first use of %s, the old one ends every token of the install', async (_, use) => {
    const first = await newPair();
    const second: Pair = (await refresh(first.refresh_token)).body;
    expect((await use(second)).status).toBe(200);
    expect(await refresh(first.refresh_token)).toMatchObject(refused('invalid_grant'));
    for (const token of [first.access_token, second.access_token]) {
      expect((await resolve(token)).status).toBe(404);
    }
    expect(await refresh(second.refresh_token)).toMatchObject(refused('invalid_grant'));
  });

  test('the revocation starts a new epoch, so cached tokens are invalid', async () => {
    const first = await newPair();
    await resolve(first.access_token);
    const second: Pair = (await refresh(first.refresh_token)).body;
    const { epoch } = (await resolve(second.access_token)).body;
    const other = await newPair();
    await refresh(first.refresh_token);
    expect((await resolve(second.access_token)).status).toBe(404);
    expect((await resolve(other.access_token)).status).toBe(200);
    const again = (await install(await reinstallable(first.store))).code;
    const { body } = await exchange(again);
    expect((await resolve(body.access_token)).body.epoch).not.toBe(epoch);
  });

  async function reinstallable(store: Store): Promise<Store> {
    expect((await store.delete(`/${app.appId}`)).status).toBe(204);
    return store;
  }

  test('of twenty simultaneous requests all are answered and one token family survives', async () => {
    const first = await newPair();
    const all = await repeat(20, () => refresh(first.refresh_token));
    expect(all.map(({ status }) => status)).toEqual(Array(20).fill(200));
    const pairs: Pair[] = all.map(({ body }) => body);
    const good = await Promise.all(pairs.map((pair) => isGood(pair.access_token)));
    expect(good.filter(Boolean).length).toBe(1);
    const survivor = pairs[good.indexOf(true)]!;
    for (const pair of pairs.filter((other) => other !== survivor)) {
      expect(await refresh(pair.refresh_token)).toMatchObject(refused('invalid_grant'));
    }
    expect((await refresh(survivor.refresh_token)).status).toBe(200);
  });

  test('whoever is first, a use of the new pair or a repeat, the other one loses', async () => {
    for (let i = 0; i < 10; i++) {
      const first = await newPair();
      const second: Pair = (await refresh(first.refresh_token)).body;
      const [used, repeated] = await Promise.all([isGood(second.access_token), refresh(first.refresh_token)]);
      // Either the repeat came first and retired the pair, or the use came first and the repeat ended the family.
      expect([used, repeated.status]).toEqual(used ? [true, 400] : [false, 200]);
      expect(await isGood(second.access_token)).toBe(false);
      if (!used) expect(await isGood(repeated.body.access_token)).toBe(true);
    }
  });

  test('whatever the order of exchanges and uses, the rules of 7.7 hold', async () => {
    const step = fc.record({
      action: fc.constantFrom('refresh', 'refresh', 'use'),
      token: fc.nat({ max: 1000 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        const pairs = [await newPair()] as { access_token: string; refresh_token: string }[];
        const model = new FamilyModel();
        for (const { action, token } of steps) {
          // Late pairs are the interesting ones.
          const index = Math.max(0, pairs.length - 1 - (token % 4));
          const pair = pairs[index]!;
          if (action === 'use') {
            expect(await isGood(pair.access_token)).toBe(model.use(index));
          } else {
            const res = await refresh(pair.refresh_token);
            expect(res.status).toBe(model.refresh(index) ? 200 : 400);
            if (res.status === 200) pairs.push(res.body);
          }
        }
      }),
      { numRuns: 40 },
    );
  });

  test.each([
    ['that never was', 'wbr_000000000000000000000000000000000000'],
    ['that is none', '💥'],
  ])('invalid_grant for a token %s', async (_, token) => {
    expect(await refresh(token)).toMatchObject(refused('invalid_grant'));
  });
  test('invalid_grant for an access token, and for the token of another app, which stays good', async () => {
    const pair = await newPair();
    expect(await refresh(pair.access_token)).toMatchObject(refused('invalid_grant'));
    const other = await market.newApp();
    const extra = { client_id: other.appId, client_secret: other.secret };
    expect(await refresh(pair.refresh_token, extra)).toMatchObject(refused('invalid_grant'));
    expect((await refresh(pair.refresh_token)).status).toBe(200);
  });
  test('a requested scope may be less than the granted one, not more', async () => {
    const { refresh_token } = await newPair();
    const res = await refresh(refresh_token, { scope: 'products.read orders.read' });
    expect(res).toMatchObject(refused('invalid_scope'));
    expect((await refresh(refresh_token, { scope: 'products.read' })).status).toBe(200);
  });
  test('a disabled install refuses it, and accepts it when enabled again', async () => {
    const { refresh_token, access_token, store } = await newPair();
    await store.post(`/${app.appId}/disable`);
    expect(await refresh(refresh_token)).toMatchObject(refused('invalid_grant'));
    expect((await resolve(access_token)).body.outcome).toBe('revoked');
    await store.delete(`/${app.appId}/disable`);
    expect(await isGood(access_token)).toBe(true);
    expect((await refresh(refresh_token)).status).toBe(200);
  });
});

/** A model of the rules of `decisions.md 7.7`, over the pairs of one family in the order of their creation. */
class FamilyModel {
  #newest = 0;
  #from = -1;
  #inUse = false;
  #ended = false;
  #retired = new Set<number>();
  #made = 1;

  use(index: number): boolean {
    if (this.#ended || this.#retired.has(index)) return false;
    if (index === this.#newest) this.#inUse = true;
    return true;
  }

  refresh(index: number): boolean {
    if (this.#ended || this.#retired.has(index)) return false;
    const isRepeated = index === this.#from && !this.#inUse;
    if (index !== this.#newest && !isRepeated) {
      this.#ended = true;
      return false;
    }
    if (isRepeated) this.#retired.add(this.#newest);
    this.#from = index;
    this.#newest = this.#made++;
    this.#inUse = false;
    return true;
  }
}

describe('the client of an OAuth request', () => {
  const basic = (id: string, secret: string) => ({
    authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
  });
  let addresses = 0;
  const fromElsewhere = () => ({ 'x-waybill-address': `198.51.100.${++addresses}` });
  const form = { grant_type: 'refresh_token', refresh_token: 'x' };

  test.each([
    ['is missing', () => [{}, {}]],
    ['has no secret', () => [{ client_id: app.appId }, {}]],
    ['has another secret', () => [{ client_id: app.appId, client_secret: 'wrong' }, {}]],
    ['is unknown', () => [{ client_id: 'app_00000000000000000000000000', client_secret: 'x' }, {}]],
    ['is no app at all', () => [{ client_id: 'a\0b', client_secret: 'x' }, {}]],
    ['is Basic without a secret', () => [{}, basic(app.appId, '')]],
    ['is Basic with another secret', () => [{}, basic(app.appId, 'wrong')]],
    ['is Basic in a wrong encoding', () => [{}, basic(app.appId, '%zz')]],
    ['is Basic and no base64', () => [{}, { authorization: 'Basic *' }]],
    ['is a bearer', () => [{}, { authorization: 'Bearer wba_x' }]],
  ] as [string, () => [Record<string, string>, Record<string, string>]][])(
    '401 invalid_client when it %s',
    async (_, credentials) => {
      const [body, headers] = credentials();
      const res = await market.oauth('token', { ...form, ...body }, { ...fromElsewhere(), ...headers });
      expect(res).toMatchObject(refused('invalid_client', 401));
      expect(res.headers['www-authenticate']).toBe(
        headers.authorization ? 'Basic realm="oauth", charset="UTF-8"' : undefined,
      );
      expect(res.headers['cache-control']).toContain('no-store');
    },
  );

  test('invalid_request if it is in the body and in Basic, or differs', async () => {
    const headers = { ...fromElsewhere(), ...basic(app.appId, app.secret) };
    const both = await market.oauth('token', { ...form, ...client() }, headers);
    expect(both).toMatchObject(refused('invalid_request'));
    const other = await market.oauth('token', { ...form, client_id: 'app_x' }, headers);
    expect(other).toMatchObject(refused('invalid_request'));
  });

  test('429 after a hundred wrong secrets from one address; others, and other addresses, go on', async () => {
    const headers = fromElsewhere();
    const attempt = (secret: string, from = headers) =>
      market.oauth('token', { ...form, client_id: app.appId, client_secret: secret }, from);
    const failed = await repeat(100, () => attempt('wrong'));
    expect(failed.map(({ status }) => status)).toEqual(Array(100).fill(401));
    const limited = await attempt(app.secret);
    expect(limited).toMatchObject(refused('rate_limited', 429));
    expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
    expect(await attempt(app.secret, fromElsewhere())).toMatchObject(refused('invalid_grant'));
    const other = await market.newApp();
    const asOther = { client_id: other.appId, client_secret: other.secret };
    expect(await market.oauth('token', { ...form, ...asOther }, headers)).toMatchObject(
      refused('invalid_grant'),
    );
  });

  const raw = (type: string, body: string | Buffer) =>
    request(market.system.internalUrl).post('/oauth/token').set('content-type', type).send(body);
  test.each([
    ['malformed JSON', 'application/json', '{'],
    ['a value that is absent in JSON', 'application/json', '{"grant_type":null}'],
    ['JSON that is no object', 'application/json', '[]'],
    ['a value that is no text', 'application/json', '{"grant_type":7}'],
    ['another media type', 'text/plain', 'grant_type=x'],
    ['a parameter given twice', 'application/x-www-form-urlencoded', 'grant_type=a&grant_type=b'],
    ['nothing', 'application/x-www-form-urlencoded', ''],
  ])('400 invalid_request in the form of RFC 6749 for %s, whoever sends it', async (_, type, body) => {
    const res = await raw(type, body);
    expect(res).toMatchObject(refused('invalid_request'));
    expect(res.body.error).toBe(res.body.code);
    expect(res.body.error_description).toEqual(expect.any(String));
    expect(res.headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
  });
  test('413 for a body over 64 KiB', async () => {
    const res = await raw('application/x-www-form-urlencoded', `a=${'x'.repeat(70_000)}`);
    expect(res).toMatchObject(refused('body_too_large', 413));
  });
  test('400 unsupported_grant_type, and invalid_request without one', async () => {
    const ask = (more: Record<string, string>) => market.oauth('token', { ...client(), ...more });
    expect((await raw('application/json', '{"client_id":"x"}')).body.code).toBe('invalid_request');
    expect(await ask({ grant_type: 'password' })).toMatchObject(refused('unsupported_grant_type'));
    expect(await ask({})).toMatchObject(refused('invalid_request'));
    expect(await ask({ grant_type: 'authorization_code' })).toMatchObject(refused('invalid_request'));
    expect(await ask({ grant_type: 'refresh_token' })).toMatchObject(refused('invalid_request'));
  });
});

describe('POST /oauth/revoke', () => {
  const revoke = (token: string, extra: Record<string, string> = {}) =>
    market.oauth('revoke', { token, ...client(), ...extra });

  test('revoking an access token ends only that one; revoking a refresh token ends all', async () => {
    const first = await newPair();
    const second: Pair = (await refresh(first.refresh_token)).body;
    const res = await revoke(first.access_token, { token_type_hint: 'refresh_token' });
    expect(res).toMatchObject({ status: 200, text: '' });
    expect(await isGood(first.access_token)).toBe(false);
    expect(await isGood(second.access_token)).toBe(true);
    expect((await revoke(second.refresh_token)).status).toBe(200);
    expect(await isGood(second.access_token)).toBe(false);
    expect(await refresh(second.refresh_token)).toMatchObject(refused('invalid_grant'));
  });
  test('an unknown or ended token is not an error, another app’s is refused, and a missing one is invalid_request', async () => {
    const pair = await newPair();
    for (let i = 0; i < 2; i++) expect((await revoke(pair.refresh_token)).status).toBe(200);
    expect((await revoke('nothing')).status).toBe(200);
    const good = await newPair();
    const other = await market.newApp();
    const extra = { client_id: other.appId, client_secret: other.secret };
    expect(await revoke(good.access_token, extra)).toMatchObject(refused('invalid_grant'));
    expect(await isGood(good.access_token)).toBe(true);
    expect(await market.oauth('revoke', client())).toMatchObject(refused('invalid_request'));
    expect(await market.oauth('revoke', { token: good.access_token })).toMatchObject(
      refused('invalid_client', 401),
    );
  });
});

describe('POST /internal/app-tokens/resolve', () => {
  test('404 for a refresh token, an expired token and one that never was', async () => {
    const { access_token, refresh_token } = await newPair();
    expect((await resolve(refresh_token)).status).toBe(404);
    expect((await market.internal('app-tokens/resolve', { hash: '💥' })).status).toBe(404);
    await market.db
      .updateTable('app_token')
      .set({ expires_at: new Date(Date.now() - 1) })
      .where('hash', '=', hashCredential(access_token))
      .execute();
    expect((await resolve(access_token)).status).toBe(404);
  });
  describe('after a payment app was uninstalled', () => {
    async function uninstalled(
      granted: Permission[] = ['orders.write'],
      payments: string | null = '{"name":"Pay"}',
    ) {
      const own = await market.newApp();
      const versionId = await market.addVersion(own.appId, granted);
      await market.db.updateTable('app_version').set({ payments }).where('id', '=', versionId).execute();
      await market.approve(versionId);
      const store = market.newStore();
      const agreed = { scopes: granted, redirectUri, codeChallenge };
      const { body } = await store.post(`/${own.appId}/install`, agreed);
      const code = new URL(body.redirectTo).searchParams.get('code')!;
      const as = { client_id: own.appId, client_secret: own.secret };
      const pair: Pair = (await exchange(code, as)).body;
      expect((await store.delete(`/${own.appId}`)).status).toBe(204);
      return { ...pair, ...own, as, store, agreed };
    }
    const isStored = (token: string) =>
      market.db.selectFrom('report_token').selectAll().where('hash', '=', hashCredential(token)).execute();

    test('an access token without a scope remains valid for an uninstalled app for 30 days', async () => {
      const { access_token, refresh_token, store, appId, as } = await uninstalled();
      const { status, body } = await resolve(access_token);
      expect([status, body.outcome, body.principal]).toEqual([
        200,
        'ok',
        {
          kind: 'app',
          storeId: store.storeId,
          appId,
          installId: expect.any(String),
          scopes: [],
          isUninstalled: true,
        },
      ]);
      const days = (body.expiresAt - Date.now()) / 86_400_000;
      expect(days > 29.9 && days <= 30).toBe(true);
      expect((await resolve(refresh_token)).status).toBe(404);
      expect(await refresh(refresh_token, as)).toMatchObject(refused('invalid_grant'));
      await market.db
        .updateTable('report_token')
        .set({ expires_at: new Date(Date.now() - 1) })
        .where('hash', '=', hashCredential(access_token))
        .execute();
      expect((await resolve(access_token)).status).toBe(404);
      await sweepTokens(market.db);
      expect(await isStored(access_token)).toEqual([]);
    });
    test('nothing remains of an app without payments, or without the right to report', async () => {
      for (const { access_token } of [
        await uninstalled(['orders.write'], null),
        await uninstalled(['orders.read']),
      ])
        expect((await resolve(access_token)).status).toBe(404);
    });
    test('it ends with a reinstall, for good, and rests while the app is suspended', async () => {
      const { access_token, appId, store, agreed } = await uninstalled();
      await market.suspend(appId);
      expect((await resolve(access_token)).body.outcome).toBe('revoked');
      await market.unsuspend(appId);
      expect(await isGood(access_token)).toBe(true);
      expect((await store.post(`/${appId}/install`, agreed)).status).toBe(201);
      expect((await resolve(access_token)).status).toBe(404);
      await store.delete(`/${appId}`);
      expect((await resolve(access_token)).status).toBe(404);
    });
    test('is revoked only by its own app', async () => {
      const { access_token, as } = await uninstalled();
      const others = { ...client(), token: access_token };
      expect(await market.oauth('revoke', others)).toMatchObject(refused('invalid_grant'));
      expect((await market.oauth('revoke', { ...as, token: access_token })).status).toBe(200);
      expect((await resolve(access_token)).status).toBe(404);
    });
  });
  test('what has run out is swept away, and a used code a day later', async () => {
    const { access_token, store } = await newPair();
    const long = new Date(Date.now() - 25 * 3_600_000);
    const of = (table: 'app_token' | 'token_family' | 'oauth_code') =>
      market.db.selectFrom(table).where('store_id', '=', store.storeId).selectAll().execute();
    await market.db
      .updateTable('app_token')
      .set({ expires_at: long })
      .where('hash', '=', hashCredential(access_token))
      .execute();
    await sweepTokens(market.db);
    expect((await of('app_token')).map(({ kind }: { kind?: string }) => kind)).toEqual(['refresh']);
    expect((await of('oauth_code')).length).toBe(1);
    for (const table of ['token_family', 'oauth_code'] as const) {
      await market.db
        .updateTable(table)
        .set({ expires_at: long })
        .where('store_id', '=', store.storeId)
        .execute();
    }
    await sweepTokens(market.db);
    for (const table of ['app_token', 'token_family', 'oauth_code'] as const) {
      expect(await of(table)).toEqual([]);
    }
  });
});
