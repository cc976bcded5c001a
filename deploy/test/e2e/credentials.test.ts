import { randomBytes } from 'node:crypto';
import { createCredential, type Principal, permissions } from '@waybill/contracts';
import { createPrincipalSigner, ed25519Key } from '@waybill/kernel';
import { eventually, waitForMailedToken } from '@waybill/testing';
import { expectStatus, join, newKey, newPerson, newStore } from '../../testing/accounts.ts';
import { createCaller, type Reply, send } from '../../testing/client.ts';
import { download, formOf, noisyPng, upload } from '../../testing/uploads.ts';
import { exchange } from './raw.ts';
import { type StartedSystem, topologies } from './topologies.ts';

const products = '/api/v1/products';

/**
 * Sends 200 requests at a time, until one is refused: a busy machine answers so slowly that a bucket refills meanwhile.
 */
async function floodUntilRefused(ask: (turn: number) => Promise<Reply>): Promise<Reply[]> {
  const replies: Reply[] = [];
  while (!replies.some(({ status }) => status === 429))
    replies.push(...(await Promise.all(Array.from({ length: 200 }, (_, turn) => ask(turn)))));
  return replies;
}

describe.each(topologies)('$name', ({ start }) => {
  let system: StartedSystem;
  let url: string;
  beforeAll(async () => {
    // Tests that need an address of their own name one as a proxy would.
    system = await start({
      TRUSTED_PROXY_HOPS: '1',
      STOREFRONT_ORDERS_PER_MINUTE: '5',
      MEDIA_VARIANTS_PER_MINUTE: '6',
    });
    url = system.baseUrl;
  });
  afterAll(() => system.stop());

  const get = (path: string, headers: Record<string, string> = {}) => send(url, 'GET', path, { headers });
  const withKey = (path = products) => get(path, { authorization: `Bearer ${system.demo.apiKey}` });
  const codeOf = ({ status, body }: Reply) => `${status} ${body.code}`;

  /** Creates a store with a key of these scopes, made by its owner. */
  async function keyWith(...scopes: string[]) {
    const owner = await newPerson(url);
    const storeId = await newStore(owner);
    const key = await newKey(owner, storeId, scopes);
    return { owner, storeId, ...key, call: createCaller(url, key.secret) };
  }

  describe('the credential of the public API', () => {
    test('an accepted key gets the list', async () => {
      expect(await withKey()).toMatchObject({ status: 200, body: { products: [], total: 0 } });
    });

    test('a request without one is missing_credential', async () => {
      const reply = await get(products);
      expect(reply).toMatchObject({
        status: 401,
        body: { error: expect.any(String), code: 'missing_credential' },
      });
    });

    test('a 401 names the expected scheme, as RFC 9110 requires', async () => {
      const challenge = 'Bearer realm="Waybill"';
      expect((await get(products)).headers['www-authenticate']).toBe(challenge);
      expect((await get('/api/me')).headers['www-authenticate']).toBe(challenge);
      for (const path of [products, '/api/me']) {
        const refused = await get(path, { authorization: 'Bearer nobody' });
        expect(refused.headers['www-authenticate']).toBe(`${challenge}, error="invalid_token"`);
      }
    });

    test.each([
      '',
      'Bearer',
      'Bearer ',
      'Basic dXNlcjpwYXNz',
      'Bearer secret',
      'Bearer wbk',
      'wbk_x',
      'Bearer a b',
    ])('the header %j is api_key_required', async (authorization) => {
      expect(codeOf(await get(products, { authorization }))).toBe('401 api_key_required');
    });

    test("a user's access token is api_key_required", async () => {
      const { call } = await newPerson(url);
      expect(codeOf(await call('GET', products))).toBe('401 api_key_required');
    });

    test('an app refresh token, well-formed or not, is refresh_token_not_accepted', async () => {
      for (const token of [createCredential('wbr'), 'wbr_x']) {
        const reply = await get(products, { authorization: `Bearer ${token}` });
        expect(codeOf(reply)).toBe('401 refresh_token_not_accepted');
      }
    });

    test('an unknown key is invalid_credential every time', async () => {
      const authorization = `Bearer ${createCredential('wbk')}`;
      for (let i = 0; i < 3; i++) {
        expect(codeOf(await get(products, { authorization }))).toBe('401 invalid_credential');
      }
    });

    test('a mistyped key is invalid_credential, a mistyped app token app_token_invalid', async () => {
      for (const [secret, code] of [
        [system.demo.apiKey, '401 invalid_credential'],
        [createCredential('wba'), '401 app_token_invalid'],
      ] as const) {
        for (const typo of typosOf(secret)) {
          expect(codeOf(await get(products, { authorization: `Bearer ${typo}` }))).toBe(code);
        }
      }
    });

    test('the scheme is case-insensitive, as RFC 9110 requires', async () => {
      const reply = await get(products, { authorization: `bearer ${system.demo.apiKey}` });
      expect(reply.status).toBe(200);
    });

    test('a credential in the query or in a cookie does not count', async () => {
      const { apiKey } = system.demo;
      const reply = await get(`${products}?authorization=Bearer%20${apiKey}`, {
        cookie: `authorization=${apiKey}`,
      });
      expect(codeOf(reply)).toBe('401 missing_credential');
    });
  });

  describe('the scopes of a key', () => {
    test('a missing one is insufficient_scope before the id or the body is checked', async () => {
      const { call } = await keyWith('products.read');
      const unknown = `${products}/prd_00000000000000000000000000`;
      for (const reply of [
        await call('POST', products, { name: 'Tea' }),
        await call('POST', products, { name: 7 }),
        await call('POST', products),
        await call('PUT', unknown, {}),
        await call('DELETE', unknown),
        await call('DELETE', `${products}/nonsense`),
        await call('GET', '/api/v1/webhooks'),
      ]) {
        expect(codeOf(reply)).toBe('403 insufficient_scope');
      }
      expect((await call('GET', products)).status).toBe(200);
    });

    test("another store's product is not_found", async () => {
      const [mine, other] = [await keyWith(...permissions), await keyWith(...permissions)];
      const { id } = expectStatus(await mine.call('POST', products, { name: 'Tea' }), 201).body.product;
      for (const method of ['GET', 'DELETE']) {
        expect(codeOf(await other.call(method, `${products}/${id}`))).toBe('404 not_found');
      }
      expect(codeOf(await other.call('PUT', `${products}/${id}`, { name: 'Mine' }))).toBe('404 not_found');
      expect((await mine.call('GET', `${products}/${id}`)).body.product.name).toBe('Tea');
    });
  });

  describe('what takes effect on the very next request', () => {
    test('revoking a key, fifty times over', async () => {
      const owner = await newPerson(url);
      const storeId = await newStore(owner);
      for (let i = 0; i < 50; i++) {
        const { keyId, secret } = await newKey(owner, storeId, ['products.read']);
        const call = createCaller(url, secret);
        expect((await call('GET', products)).status).toBe(200);
        expectStatus(await owner.call('DELETE', `/api/stores/${storeId}/api-keys/${keyId}`), 204);
        expect(codeOf(await call('GET', products))).toBe('401 key_revoked');
      }
    });

    test('revoking a key that is in constant use', async () => {
      const owner = await newPerson(url);
      const storeId = await newStore(owner);
      for (let i = 0; i < 20; i++) {
        const { keyId, secret } = await newKey(owner, storeId, ['products.read']);
        const call = createCaller(url, secret);
        let isRevoked = false;
        /** Returns the first answer to a request that began after the revocation had been answered. */
        const use = async (): Promise<Reply> => {
          for (;;) {
            const isLate = isRevoked;
            const reply = await call('GET', products);
            if (isLate) return reply;
          }
        };
        const uses = Array.from({ length: 8 }, use);
        await call('GET', products);
        expectStatus(await owner.call('DELETE', `/api/stores/${storeId}/api-keys/${keyId}`), 204);
        isRevoked = true;
        for (const reply of await Promise.all(uses)) expect(codeOf(reply)).toBe('401 key_revoked');
      }
    });

    test('demoting the creator of a key, removing it, and its return', async () => {
      const owner = await newPerson(url);
      const storeId = await newStore(owner);
      const creator = await newPerson(url, 'Bob');
      await join(owner, storeId, creator, 'admin');
      const { secret } = await newKey(creator, storeId, ['products.read', 'products.write']);
      const key = createCaller(url, secret);
      const member = `/api/stores/${storeId}/members/${creator.userId}`;
      const write = () => key('POST', products, { name: 'Tea' });
      expect((await write()).status).toBe(201);

      expectStatus(await owner.call('PATCH', member, { role: 'viewer' }), 200);
      expect(codeOf(await write())).toBe('403 insufficient_scope');
      expect((await key('GET', products)).status).toBe(200);

      expectStatus(await owner.call('PATCH', member, { role: 'editor' }), 200);
      expect((await write()).status).toBe(201);

      expectStatus(await owner.call('DELETE', member), 204);
      expect(codeOf(await write())).toBe('403 insufficient_scope');
      expect(codeOf(await key('GET', products))).toBe('403 insufficient_scope');

      await join(owner, storeId, creator, 'admin');
      expect((await write()).status).toBe(201);
    });

    test("a member's own role", async () => {
      const owner = await newPerson(url);
      const storeId = await newStore(owner);
      const admin = await newPerson(url, 'Bob');
      await join(owner, storeId, admin, 'admin');
      const keys = () => admin.call('GET', `/api/stores/${storeId}/api-keys`);
      const member = `/api/stores/${storeId}/members/${admin.userId}`;
      expect((await keys()).status).toBe(200);
      expectStatus(await owner.call('PATCH', member, { role: 'viewer' }), 200);
      expect(codeOf(await keys())).toBe('403 insufficient_role');
      expectStatus(await owner.call('DELETE', member), 204);
      expect(codeOf(await keys())).toBe('404 not_found');
    });
  });

  describe('a path that is no resource, a method that a resource lacks', () => {
    const unknown = [
      '/api/v1',
      '/api/v1/',
      '/api/v1/nothing',
      '/api/v1/Products',
      '/api/v1/products2',
      '/api/v1//products',
    ];

    test.each(unknown)('%s is unknown_resource, for those with a credential', async (path) => {
      expect(codeOf(await withKey(path))).toBe('404 unknown_resource');
      expect(codeOf(await get(path))).toBe('401 missing_credential');
      expect(codeOf(await get(path, { authorization: 'Bearer wbk_x' }))).toBe('401 invalid_credential');
    });

    test.each([
      [products, 'PATCH', 'GET, POST, HEAD'],
      [products, 'DELETE', 'GET, POST, HEAD'],
      [`${products}/prd_00000000000000000000000000`, 'POST', 'GET, PUT, PATCH, DELETE, HEAD'],
      ['/api/v1/webhooks', 'PUT', 'GET, POST, HEAD'],
    ])(
      '%s does not have %s: method_not_allowed with Allow, for those with a credential',
      async (path, method, allow) => {
        const authorization = `Bearer ${system.demo.apiKey}`;
        const refused = await send(url, method, path, { headers: { authorization } });
        expect(codeOf(refused)).toBe('405 method_not_allowed');
        expect(refused.headers.allow).toBe(allow);
        expect(codeOf(await send(url, method, path))).toBe('401 missing_credential');
      },
    );
  });

  describe('every answer', () => {
    const answers: [string, number, string, string][] = [
      ['a list', 200, 'GET', products],
      ['a refused body', 400, 'POST', products],
      ['a missing product', 404, 'GET', `${products}/prd_00000000000000000000000000`],
      ['a wrong method', 405, 'PATCH', products],
      ['an unknown resource', 404, 'GET', '/api/v1/nothing'],
      ["an API key in a user's place", 401, 'GET', '/api/me'],
      ['a path of nobody', 404, 'GET', '/nothing'],
    ];

    test.each(answers)(
      '%s carries the request id that was sent, and may not be kept by a cache',
      async (_, status, method, path) => {
        const headers = { authorization: `Bearer ${system.demo.apiKey}`, 'x-request-id': 'my.request:1' };
        const reply = await send(url, method, path, { headers });
        expect(reply.status).toBe(status);
        expect(reply.headers).toMatchObject({
          'x-request-id': 'my.request:1',
          'cache-control': 'private, no-store',
          'content-type': 'application/json; charset=utf-8',
          'x-content-type-options': 'nosniff',
        });
      },
    );

    test('without a body is not cached either', async () => {
      const { call } = await keyWith('products.write');
      const { id } = expectStatus(await call('POST', products, { name: 'Tea' }), 201).body.product;
      const { headers } = expectStatus(await call('DELETE', `${products}/${id}`), 204);
      expect(headers).toMatchObject({
        'cache-control': 'private, no-store',
        'x-request-id': expect.any(String),
      });
    });

    test('gets a new request id if none or an implausible one was sent', async () => {
      const ids = new Set<unknown>();
      for (const sent of [undefined, '', 'two words', 'x'.repeat(129), '<script>', 'a,b']) {
        const headers: Record<string, string> = sent === undefined ? {} : { 'x-request-id': sent };
        const { headers: answered } = await get(products, headers);
        expect(answered['x-request-id']).toMatch(/^[\w.:-]{8,128}$/);
        ids.add(answered['x-request-id']);
      }
      expect(ids.size).toBe(6);
    });

    test('to HEAD has the headers of GET and no body', async () => {
      const headers = { authorization: `Bearer ${system.demo.apiKey}` };
      const [head, full] = [await send(url, 'HEAD', products, { headers }), await withKey()];
      expect(head).toMatchObject({ status: 200, text: '' });
      expect(head.headers['content-length']).toBe(full.headers['content-length']);
      expect(await send(url, 'HEAD', products)).toMatchObject({ status: 401, text: '' });
      expect(await send(url, 'HEAD', '/healthz')).toMatchObject({ status: 200, text: '' });
    });
  });

  describe('the rate limit', () => {
    test('is in the headers of every answer to a credential, successful or not', async () => {
      const { call } = await keyWith('products.read');
      for (const reply of [
        await call('GET', products),
        await call('POST', products, {}),
        await call('PATCH', products),
        await call('GET', '/api/v1/nothing'),
      ]) {
        expect(reply.headers['ratelimit-policy']).toBe('"default";q=1200;w=60;burst=200');
        expect(reply.headers.ratelimit).toMatch(/^"default";r=19\d;t=\d+$/);
      }
    });

    test('is shown to, and counts, a user who requests another’s store', async () => {
      const [{ storeId }, stranger] = [await keyWith('products.read'), await newPerson(url)];
      const ask = () => stranger.call('GET', `/api/stores/${storeId}`);
      const first = await ask();
      expect(codeOf(first)).toBe('404 not_found');
      expect(first.headers.ratelimit).toMatch(/^"default";r=19\d;t=\d+$/);
      expect(new Set((await floodUntilRefused(ask)).map(codeOf))).toEqual(
        new Set(['404 not_found', '429 rate_limited']),
      );
    });

    test('allows a burst, then answers 429 with Retry-After to that credential only', async () => {
      const [busy, other] = [await keyWith('products.read'), await keyWith('products.read')];
      const started = Date.now();
      const replies = await floodUntilRefused(() => busy.call('GET', products));
      const refilled = ((Date.now() - started) / 1000) * 20;
      const refused = replies.filter(({ status }) => status === 429);
      const answered = replies.filter(({ status }) => status === 200);
      expect(answered.length + refused.length).toBe(replies.length);
      expect(answered.length).toBeGreaterThanOrEqual(200);
      expect(answered.length).toBeLessThanOrEqual(200 + Math.ceil(refilled));
      expect(refused[0]!.body).toEqual({ error: expect.any(String), code: 'rate_limited' });
      expect(Number(refused[0]!.headers['retry-after'])).toBeGreaterThanOrEqual(1);
      expect(refused[0]!.headers.ratelimit).toMatch(/^"default";r=0;t=\d+$/);
      expect((await other.call('GET', products)).status).toBe(200);
      expect((await busy.owner.call('GET', '/api/me')).status).toBe(200);
    });

    test("counts a user's requests likewise, over all of its tokens and stores", async () => {
      const { call, email, password } = await newPerson(url);
      const login = await createCaller(url, undefined)('POST', '/api/auth/login', { email, password });
      const second = createCaller(url, login.body.accessToken);
      const replies = await floodUntilRefused((i) => (i % 2 ? call : second)('GET', '/api/me'));
      expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 429]));
      expect(replies[0]!.headers['ratelimit-policy']).toBe('"default";q=1200;w=60;burst=200');
    });

    test('of a user is the same for all requests', async () => {
      const { owner, storeId } = await keyWith('products.read');
      const left = ({ headers }: Reply) => Number(/r=(\d+)/.exec(String(headers.ratelimit))![1]);
      const ofStore = () => owner.call('GET', `/api/stores/${storeId}`);
      // Counted together, each request lowers the remaining number, unless a slow machine lets the bucket refill.
      // Counted separately, the requests of the store never lower the other number.
      await eventually(async () => {
        const before = left(await owner.call('GET', '/api/me'));
        await Promise.all(Array.from({ length: 100 }, ofStore));
        return left(await owner.call('GET', '/api/me')) < before - 20;
      });
    });

    test('of registering counts for each address and does not limit logins', async () => {
      const { email, password } = await newPerson(url);
      const from = { 'x-forwarded-for': '192.0.2.77' };
      const anybody = createCaller(url, undefined);
      const replies = await Promise.all(
        Array.from({ length: 60 }, (_, i) => {
          const account = { email: `flood-${i}@example.com`, password: 'correct horse', name: 'Flood' };
          return anybody('POST', '/api/auth/register', account, from);
        }),
      );
      const codes = replies.map(({ status, body }) => `${status} ${body.code}`);
      expect(new Set(codes)).toEqual(new Set(['201 undefined', '429 rate_limited']));
      const refused = replies.find(({ status }) => status === 429)!;
      expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
      expectStatus(await anybody('POST', '/api/auth/login', { email, password }, from), 200);
    });
  });

  test('one line at the start says that mails are not sent; no line has an address or a token', async () => {
    const { email } = await newPerson(url);
    const token = await waitForMailedToken(system.dataDir, email, 'verify');
    const output = system.output();
    expect(output.match(/SMTP_URL is not set/g)).toHaveLength(1);
    for (const secret of [email, token]) expect(output).not.toContain(secret);
  });

  describe('keys that never were, tried in numbers from one address', () => {
    const guess = (address: string) =>
      get(products, { authorization: `Bearer ${createCredential('wbk')}`, 'x-forwarded-for': address });

    test('are rate_limited with Retry-After; known keys are served there, and other addresses too', async () => {
      const { secret } = await keyWith('products.read');
      const from = (address: string) => ({ authorization: `Bearer ${secret}`, 'x-forwarded-for': address });
      expect((await get(products, from('2001:db8:1:2::1'))).status).toBe(200);
      const replies = await floodUntilRefused((turn) => guess(`2001:db8:1:2::${turn.toString(16)}`));
      expect(new Set(replies.map(codeOf))).toEqual(new Set(['401 invalid_credential', '429 rate_limited']));
      const refused = replies.find(({ status }) => status === 429)!;
      expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
      for (let i = 0; i < 3; i++) expect((await get(products, from('2001:db8:1:2::1'))).status).toBe(200);
      expect(codeOf(await guess('2001:db8:1:3::1'))).toBe('401 invalid_credential');
      expect(codeOf(await guess('192.0.2.1'))).toBe('401 invalid_credential');
    });
  });

  test('a store’s storefront accepts a limited number of orders a minute from all addresses together', async () => {
    const { storeId, call } = await keyWith(...permissions);
    const variants = [{ priceCents: 100, stock: 100 }];
    const created = await call('POST', '/api/v1/products', { name: 'Tea', status: 'active', variants });
    const variantId = expectStatus(created, 201).body.product.variants[0].id;
    const buy = (key: string, address: string) =>
      send(url, 'POST', `/storefront/${storeId}/orders`, {
        headers: { 'idempotency-key': key, 'x-forwarded-for': address },
        json: {
          items: [{ variantId, quantity: 1 }],
          customer: { name: 'Bob Ross', email: 'bob@example.com' },
        },
      });
    const first = expectStatus(await buy('0', '192.0.2.0'), 201);
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, i) => buy(String(i + 1), `192.0.2.${i + 1}`)),
    );
    const refused = replies.filter(({ status }) => status === 429);
    // A minute's worth at once, and some more that a slow machine lets in meanwhile.
    expect(replies.filter(({ status }) => status === 201).length).toBeLessThan(8);
    expect(refused.length).toBeGreaterThan(12);
    for (const { body, headers } of refused) {
      expect(body.code).toBe('rate_limited');
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    }
    expect(expectStatus(await buy('0', '192.0.2.200'), 201).body).toEqual(first.body);
  });

  test('visitors have some variants of an image made, and see it as it is when they ask for many', async () => {
    const { secret } = await keyWith('media.write');
    const { body } = await upload(url, secret, formOf([noisyPng(1400, 900)]));
    const queries = [320, 480, 640, 960, 1280].flatMap((w) => [`w=${w}`, `w=${w}&format=webp`]);
    const replies = [];
    for (const query of queries) replies.push(await download(`${body.media.url}?${query}`));
    expect(replies.map(({ status }) => status)).toEqual(queries.map(() => 200));
    const whole = `"${body.media.sha256}"`;
    const refused = replies.filter(({ headers }) => headers.etag === whole);
    expect(refused.length).toBeGreaterThan(2);
    for (const { headers } of refused) expect(headers['cache-control']).toBe('public, max-age=60');
    // Anybody can fetch an existing variant, as often as they like.
    const { headers } = replies[0]!;
    expect(headers.etag).toBe(`"${body.media.sha256}-w320.png"`);
    for (let i = 0; i < 10; i++) {
      expect((await download(`${body.media.url}?w=320`)).headers.etag).toBe(headers.etag);
    }
  });

  describe('the host of a request', () => {
    const status = async (...hosts: string[]) => {
      const lines = ['GET /healthz HTTP/1.1', ...hosts.map((host) => `Host: ${host}`), 'Connection: close'];
      const { status, body } = await exchange(url, `${lines.join('\r\n')}\r\n\r\n`);
      return `${status} ${body.code}`;
    };

    test.each([
      'a',
      'a.example',
      'demo.example:8080',
      '192.0.2.1:80',
      '[::1]',
      '[2001:db8::1]:8080',
      'a_b:',
      'a.',
    ])('%s is one', async (host) => expect(await status(host)).toBe('200 undefined'));
    test.each([
      '',
      'a/b?c#d',
      'a/b',
      'a#b',
      'a?b',
      'a@b',
      'a b',
      'a, b',
      'a:b',
      'a:80:80',
      'a:123456',
      '::1',
      '[::1',
      '[x]',
      '<a>',
      '%61',
      'ä',
    ])('%j is none', async (host) => expect(await status(host)).toBe('400 invalid_body'));
    test('is one at most', async () => {
      expect(await status('a', 'b')).toBe('400 invalid_body');
      expect(await status('a', 'a')).toBe('400 invalid_body');
    });
  });

  describe('what is between the gateway and the services', () => {
    test('a principal header from a client is ignored', async () => {
      const { storeId, call } = await keyWith('products.read');
      const principal: Principal = {
        kind: 'apiKey',
        storeId,
        keyId: 'key_00000000000000000000000000',
        scopes: [...permissions],
        creatorPermissions: [...permissions],
      };
      const ownKey = ed25519Key(randomBytes(32).toString('base64url'));
      const signed = await createPrincipalSigner(ownKey)('forged', principal);
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
      const unsigned = `${part({ alg: 'none' })}.${part({ principal, iss: 'waybill-gateway', exp: 9_999_999_999 })}.`;
      for (const forged of [signed, unsigned, JSON.stringify(principal)]) {
        const headers = { 'x-waybill-principal': forged };
        expect(codeOf(await get(products, headers))).toBe('401 missing_credential');
        expect(codeOf(await get('/api/me', headers))).toBe('401 missing_credential');
        expect(codeOf(await call('POST', products, { name: 'Tea' }, headers))).toBe('403 insufficient_scope');
        expect((await call('GET', products, undefined, headers)).status).toBe(200);
      }
    });

    const internal = [
      '/internal/openapi/catalog',
      '/internal/openapi/gateway',
      '/internal/ready/catalog',
      '/internal/ready/gateway',
      '//internal/openapi/catalog',
      '/internal//openapi/catalog',
      '/./internal/openapi/catalog',
      '/INTERNAL/openapi/catalog',
      '/%69nternal/openapi/catalog',
      '/%2finternal/openapi/catalog',
      '/internal%2fopenapi%2fcatalog',
      '/api/v1/../../internal/openapi/catalog',
      '/api/v1/%2e%2e/%2e%2e/internal/openapi/catalog',
      '/api/v1/products/../../../internal/openapi/catalog',
      '/api/v1/products/..%2f..%2f..%2finternal%2fopenapi%2fcatalog',
      '/api/v1/products/../../../../internal/ready/catalog',
      '/api/auth/../../internal/openapi/identity',
      '/api/auth/..%2f..%2finternal/openapi/identity',
      '/api/stores/../../internal/members/resolve',
      '/docs/../internal/openapi/catalog',
      '/docs/..%2finternal%2fopenapi%2fcatalog',
      '\\internal\\openapi\\catalog',
      '/;/internal/openapi/catalog',
      '/internal/openapi/catalog;.json',
      '/internal/openapi/catalog?x=/api/v1/products',
      '/internal/openapi/catalog#/api/v1/products',
      '/metrics',
      '/health/ready',
      '/health/live',
    ];

    test.each(internal)('GET %s does not lead to an internal route', async (path) => {
      for (const authorization of [undefined, `Bearer ${system.demo.apiKey}`]) {
        const lines = [`GET ${path} HTTP/1.1`, 'Host: x', 'Connection: close'];
        if (authorization) lines.push(`Authorization: ${authorization}`);
        const reply = await exchange(url, `${lines.join('\r\n')}\r\n\r\n`);
        expect([400, 401, 404]).toContain(reply.status);
        expect(reply.body).toEqual({ error: expect.any(String), code: expect.any(String) });
      }
    });

    test.each([
      '/internal/events',
      '/internal/credentials/resolve',
      '/internal/members/resolve',
      '//internal/events',
    ])('POST %s does not lead to an internal route, nor does an absolute form of it', async (path) => {
      for (const target of [path, `${url}${path}`, `http://webhooks${path}`]) {
        const body = '{"hash":"x","storeId":"x","type":"course.enrolled","data":{}}';
        const head = [
          `POST ${target} HTTP/1.1`,
          'Host: x',
          'Connection: close',
          'Content-Type: application/json',
          `Content-Length: ${body.length}`,
        ];
        const reply = await exchange(url, `${head.join('\r\n')}\r\n\r\n${body}`);
        expect(reply).toMatchObject({ status: 404, body: { code: 'not_found' } });
      }
    });

    test('a request target in absolute form is the same request, as RFC 9112 requires', async () => {
      const ask = (lines: string[]) =>
        exchange(url, [...lines, 'Host: x', 'Connection: close', '', ''].join('\r\n'));
      const target = `GET http://example.com${products}?limit=1 HTTP/1.1`;
      expect(await ask([target])).toMatchObject({ status: 401, body: { code: 'missing_credential' } });
      expect(await ask([target, `Authorization: Bearer ${system.demo.apiKey}`])).toMatchObject({
        status: 200,
      });
    });
  });
});

/** Returns typical typing errors of a secret. */
function typosOf(secret: string): string[] {
  const other = (letter: string) => (letter === 'a' ? 'b' : 'a');
  const at = (i: number, letter: string) => secret.slice(0, i) + letter + secret.slice(i + 1);
  const swap = [...Array(secret.length - 1).keys()].slice(4).find((i) => secret[i] !== secret[i + 1])!;
  return [
    ...[4, 10, 20, 33, 34, 39].map((i) => at(i, other(secret[i]!))),
    at(swap, secret[swap + 1]!).slice(0, swap + 1) + secret[swap] + secret.slice(swap + 2),
    secret.slice(0, -1),
    `${secret}a`,
    secret.slice(0, 4),
    secret.slice(0, 4) + secret.slice(4).toLowerCase() + 'X',
    at(20, '-'),
    at(20, '\u00e9'),
  ];
}
