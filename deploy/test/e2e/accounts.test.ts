import { eventually, waitForMailedToken } from '@waybill/testing';
import {
  acceptNext,
  expectStatus,
  join,
  newKey,
  newPerson,
  newStore,
  type Person,
  register,
  verify as verifyPerson,
} from '../../testing/accounts.ts';
import { type Caller, createCaller, type Reply } from '../../testing/client.ts';
import { namedReviewer as boss, type SharedSystem, topologies } from './topologies.ts';

const unknownStore = '/api/stores/str_00000000000000000000000000';

describe.each(topologies)('$name', ({ share, inOneTopology }) => {
  let system: SharedSystem;
  let anybody: Caller;
  beforeAll(async () => {
    system = await share();
    anybody = createCaller(system.baseUrl, undefined);
  });

  const person = (name?: string) => newPerson(system.baseUrl, name);
  const as = (accessToken: string) => createCaller(system.baseUrl, accessToken);
  const login = (email: string, password: string) => anybody('POST', '/api/auth/login', { email, password });
  const refresh = (refreshToken: string) => anybody('POST', '/api/auth/refresh', { refreshToken });
  const codeOf = ({ status, body }: Reply) => `${status} ${body.code}`;

  describe('an account', () => {
    test('is created, signs in, and reads itself with either token', async () => {
      const email = 'Mixed.Case@Example.com';
      const registered = await register(system.baseUrl, { email, password: 'correct horse', name: 'Ann' });
      const signedIn = {
        user: {
          id: expect.stringMatching(/^usr_[0-9a-hjkmnp-tv-z]{26}$/),
          email: 'mixed.case@example.com',
          emailVerified: false,
          totpEnabled: false,
          name: 'Ann',
          locale: 'en',
          createdAt: expect.stringMatching(/Z$/),
          updatedAt: expect.stringMatching(/Z$/),
        },
        accessToken: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
        expiresAt: expect.stringMatching(/Z$/),
        refreshToken: expect.any(String),
      };
      expect(expectStatus(registered, 201).body).toEqual(signedIn);
      const { body } = expectStatus(await login('MIXED.case@example.COM', 'correct horse'), 200);
      expect(body).toEqual(signedIn);
      const minutes = (Date.parse(body.expiresAt) - Date.now()) / 60_000;
      expect(minutes).toBeGreaterThan(14);
      expect(minutes).toBeLessThanOrEqual(15);
      for (const { accessToken } of [registered.body, body]) {
        expect(await as(accessToken)('GET', '/api/me')).toMatchObject({
          status: 200,
          body: { user: body.user },
        });
      }
    });

    inOneTopology('with a taken address is duplicate_email in any spelling', async () => {
      const { email } = await person();
      const again = { email: email.toUpperCase(), password: 'another horse', name: 'Eve' };
      expect(codeOf(await register(system.baseUrl, again))).toBe('409 duplicate_email');
    });

    inOneTopology.each([
      { email: 'no-address', password: 'correct horse', name: 'Ann' },
      { email: 'ann@example.com', password: 'too short', name: 'Ann' },
      { email: 'ann@example.com', password: 'x'.repeat(201), name: 'Ann' },
      { email: 'ann@example.com', password: 'correct horse', name: '' },
      { email: 'ann@example.com' },
    ])('cannot be made of %j', async (body) => {
      expect(codeOf(await register(system.baseUrl, body))).toBe('400 invalid_body');
    });

    inOneTopology(
      'signs in with its own password only; a wrong one and an unknown address answer alike',
      async () => {
        const { email } = await person();
        const [wrong, unknown] = [
          await login(email, 'wrong horse'),
          await login('nobody@example.com', 'any horse'),
        ];
        expect(codeOf(wrong)).toBe('401 invalid_login');
        expect(unknown.body).toEqual(wrong.body);
      },
    );
  });

  describe('a session', () => {
    inOneTopology('is refreshed with a new token each time, and ends when an old token is used', async () => {
      const first = (await person()).refreshToken;
      const second = expectStatus(await refresh(first), 200).body.refreshToken;
      const repeated = expectStatus(await refresh(first), 200).body.refreshToken;
      expect(new Set([first, second, repeated]).size).toBe(3);
      const third = expectStatus(await refresh(second), 200).body;
      expect((await as(third.accessToken)('GET', '/api/me')).status).toBe(200);
      expect(codeOf(await refresh(first))).toBe('401 invalid_refresh_token');
      expect(codeOf(await refresh(third.refreshToken))).toBe('401 invalid_refresh_token');
    });

    inOneTopology('ends with logout, which also accepts an unknown token', async () => {
      const { refreshToken } = await person();
      expectStatus(await anybody('POST', '/api/auth/logout', { refreshToken }), 200);
      expect(codeOf(await refresh(refreshToken))).toBe('401 invalid_refresh_token');
      expectStatus(await anybody('POST', '/api/auth/logout', { refreshToken }), 200);
      expect(codeOf(await refresh('no token'))).toBe('401 invalid_refresh_token');
    });

    test('ends also for its access tokens from the next request on, and leaves other sessions', async () => {
      const { email, password, accessToken, refreshToken, call } = await person();
      const storeId = expectStatus(await call('POST', '/api/stores', { name: 'Tea' }), 201).body.store.id;
      const other = as((await login(email, password)).body.accessToken);
      const second = as((await refresh(refreshToken)).body.accessToken);
      const paths = ['/api/me', `/api/stores/${storeId}`, '/api/orgs'];
      for (const path of paths)
        for (const each of [call, second, other]) expectStatus(await each('GET', path), 200);
      expectStatus(await anybody('POST', '/api/auth/logout', { refreshToken }), 200);
      for (const path of paths) {
        for (const each of [call, second, as(accessToken)])
          expect(codeOf(await each('GET', path))).toBe('401 user_token_required');
        expectStatus(await other('GET', path), 200);
      }
    });

    test('whose old refresh token is used ends also for its access tokens', async () => {
      const { refreshToken, call } = await person();
      const second = (await refresh(refreshToken)).body;
      const third = (await refresh(second.refreshToken)).body;
      expectStatus(await as(third.accessToken)('GET', '/api/me'), 200);
      expect(codeOf(await refresh(refreshToken))).toBe('401 invalid_refresh_token');
      for (const each of [call, as(second.accessToken), as(third.accessToken)])
        expect(codeOf(await each('GET', '/api/me'))).toBe('401 user_token_required');
    });

    test('has tokens that can be verified with the published keys', async () => {
      const { accessToken, userId } = await person();
      const { keys } = expectStatus(await anybody('GET', '/.well-known/jwks.json'), 200).body;
      expect(keys).toEqual([
        expect.objectContaining({ kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig' }),
      ]);
      expect(keys[0]).not.toHaveProperty('d');
      const [header, payload, signature] = accessToken.split('.') as [string, string, string];
      const key = await crypto.subtle.importKey('jwk', keys[0], 'Ed25519', false, ['verify']);
      const signed = Buffer.from(`${header}.${payload}`);
      expect(await crypto.subtle.verify('Ed25519', key, Buffer.from(signature, 'base64url'), signed)).toBe(
        true,
      );
      expect(JSON.parse(String(Buffer.from(payload, 'base64url')))).toMatchObject({ sub: userId });
    });
  });

  describe("the merchant's interface", () => {
    inOneTopology.each([
      '/api/me',
      '/api/stores',
      unknownStore,
      `${unknownStore}/members`,
      `${unknownStore}/api-keys`,
    ])('%s wants the token of a user', async (path) => {
      expect(codeOf(await anybody('GET', path))).toBe('401 missing_credential');
      const { accessToken } = await person();
      const [head, payload, signature] = accessToken.split('.');
      for (const token of [
        system.demo.apiKey,
        'nonsense',
        `${head}.${payload}.${'A'.repeat(86)}`,
        `${head}.${payload!.slice(0, -4)}AAAA.${signature}`,
        `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`,
      ]) {
        expect(codeOf(await as(token)('GET', path))).toBe('401 user_token_required');
      }
    });

    test('the demo merchant finds the demo store', async () => {
      const { merchant, storeId, storeSlug } = system.demo;
      const { accessToken } = expectStatus(await login(merchant.email, merchant.password), 200).body;
      expect((await as(accessToken)('GET', '/api/stores')).body).toMatchObject({
        stores: [{ id: storeId, slug: storeSlug, role: 'owner' }],
        total: 1,
      });
    });
  });

  describe('a store', () => {
    test('is created with its creator as owner, and listed, read and changed only by its members', async () => {
      const [owner, stranger] = [await person(), await person()];
      const created = await owner.call('POST', '/api/stores', { name: 'Zwölf Tassen', currency: 'CHF' });
      const { store } = expectStatus(created, 201).body;
      expect(store).toMatchObject({ slug: 'zwolf-tassen', currency: 'CHF', role: 'owner' });
      expect((await owner.call('GET', '/api/stores')).body).toEqual({
        stores: [store],
        total: 1,
        nextCursor: null,
      });
      expect((await owner.call('GET', `/api/stores/${store.id}`)).body).toEqual({ store });
      const changed = await owner.call('PATCH', `/api/stores/${store.id}`, { name: 'Twelve Cups' });
      expect(changed.body.store).toMatchObject({
        name: 'Twelve Cups',
        slug: 'zwolf-tassen',
        currency: 'CHF',
      });

      expect((await stranger.call('GET', '/api/stores')).body).toEqual({
        stores: [],
        total: 0,
        nextCursor: null,
      });
      for (const [method, path] of [
        ['GET', `/api/stores/${store.id}`],
        ['PATCH', `/api/stores/${store.id}`],
        ['GET', `/api/stores/${store.id}/members`],
        ['GET', `/api/stores/${store.id}/api-keys`],
        ['GET', unknownStore],
        ['GET', '/api/stores/nonsense'],
      ] as const) {
        expect(codeOf(await stranger.call(method, path, method === 'PATCH' ? {} : undefined))).toBe(
          '404 not_found',
        );
      }
      expect(codeOf(await stranger.call('POST', '/api/stores', { name: 'X', slug: 'zwolf-tassen' }))).toBe(
        '409 duplicate_slug',
      );
      expect(codeOf(await stranger.call('POST', '/api/stores', { name: 'X', slug: 'X' }))).toBe(
        '400 invalid_slug',
      );
      expect(codeOf(await stranger.call('POST', '/api/stores', { name: 'X', currency: 'XXQ' }))).toBe(
        '400 invalid_body',
      );
    });
  });

  describe('the members of a store', () => {
    let owner: Person;
    let storeId: string;
    let members: string;
    beforeEach(async () => {
      owner = await person('Owner');
      storeId = await newStore(owner);
      members = `/api/stores/${storeId}/members`;
    });

    test('join by an invitation, are listed, changed and removed', async () => {
      const bob = await person('Bob');
      const { email, userId } = bob;
      const body = { email: email.toUpperCase(), role: 'viewer' };
      expect(codeOf(await owner.call('POST', members, body))).toBe('409 email_unverified');
      await Promise.all([owner, bob].map(verifyPerson));
      const invited = await owner.call('POST', members, body);
      expect(expectStatus(invited, 201).body).toMatchObject({ invitation: { email, role: 'viewer' } });
      expect((await owner.call('GET', members)).body.total).toBe(1);
      await acceptNext(bob);
      expect(codeOf(await owner.call('POST', members, body))).toBe('409 already_member');
      const member = { userId, email, name: 'Bob', role: 'viewer' };
      const list = (await owner.call('GET', members)).body;
      expect(list).toMatchObject({ total: 2, members: expect.arrayContaining([member]) });
      const changed = await owner.call('PATCH', `${members}/${userId}`, { role: 'editor' });
      expect(changed.body).toEqual({ member: { ...member, role: 'editor' } });
      expectStatus(await owner.call('DELETE', `${members}/${userId}`), 204);
      expect((await owner.call('GET', members)).body.total).toBe(1);
      expect(codeOf(await owner.call('PATCH', `${members}/${userId}`, { role: 'viewer' }))).toBe(
        '404 not_found',
      );
      expect(codeOf(await owner.call('POST', members, { email, role: 'king' }))).toBe('400 invalid_body');
    });

    inOneTopology('below admin can only read and leave; changes are insufficient_role', async () => {
      for (const role of ['viewer', 'editor']) {
        const low = await person();
        await join(owner, storeId, low, role);
        expect((await low.call('GET', members)).status).toBe(200);
        for (const [method, path, body] of [
          ['PATCH', `/api/stores/${storeId}`, { name: 'Mine' }],
          ['POST', members, { email: low.email, role: 'admin' }],
          ['PATCH', `${members}/${low.userId}`, { role: 'owner' }],
          ['DELETE', `${members}/${owner.userId}`, undefined],
          ['GET', `/api/stores/${storeId}/api-keys`, undefined],
          ['POST', `/api/stores/${storeId}/api-keys`, { name: 'Key', scopes: ['products.read'] }],
        ] as const) {
          expect(codeOf(await low.call(method, path, body))).toBe('403 insufficient_role');
        }
        expectStatus(await low.call('DELETE', `${members}/${low.userId}`), 204);
      }
    });

    inOneTopology('keep at least one owner, also when two leave at once', async () => {
      expect(codeOf(await owner.call('PATCH', `${members}/${owner.userId}`, { role: 'viewer' }))).toBe(
        '409 last_owner',
      );
      expect(codeOf(await owner.call('DELETE', `${members}/${owner.userId}`))).toBe('409 last_owner');
      const second = await person();
      await join(owner, storeId, second, 'owner');
      const leaving = await Promise.all(
        [owner, second].map((each) => each.call('DELETE', `${members}/${each.userId}`)),
      );
      expect(leaving.map(({ status }) => status).sort()).toEqual([204, 409]);
    });
  });

  describe('the API keys of a store', () => {
    test('are listed without their secrets, with prefix and last use, and revoked for good', async () => {
      const owner = await person();
      const storeId = await newStore(owner);
      const path = `/api/stores/${storeId}/api-keys`;
      const { keyId, secret } = await newKey(owner, storeId, ['products.read', 'products.read']);
      expect(secret).toMatch(/^wbk_[0-9A-Za-z]{36}$/);
      expectStatus(await createCaller(system.baseUrl, secret)('GET', '/api/v1/products'), 200);
      expectStatus(await owner.call('DELETE', `${path}/${keyId}`), 204);
      expectStatus(await owner.call('DELETE', `${path}/${keyId}`), 204);
      // The use is recorded after the answer.
      const list = await eventually(async () => {
        const reply = await owner.call('GET', path);
        return reply.body.apiKeys[0].lastUsedAt && reply;
      });
      expect(list.body).toEqual({
        apiKeys: [
          {
            id: keyId,
            name: 'Key',
            prefix: secret.slice(0, 12),
            scopes: ['products.read'],
            createdBy: owner.userId,
            createdAt: expect.any(String),
            lastUsedAt: expect.any(String),
            revokedAt: expect.any(String),
          },
        ],
        total: 1,
        nextCursor: null,
      });
      expect(list.text).not.toContain(secret.slice(12));
      for (const scopes of [[], ['products.fly'], 'products.read', undefined]) {
        expect(codeOf(await owner.call('POST', path, { name: 'Key', scopes }))).toBe('400 invalid_body');
      }
    });
  });

  describe('a reviewer', () => {
    const isReviewer = async (accessToken: string) =>
      (await as(accessToken)('GET', '/api/review/versions')).status === 200;
    const reset = (token: string, password: string) =>
      anybody('POST', '/api/auth/reset', { token, password });

    test('is any user with a listed and verified address', async () => {
      const account = { email: 'BOSS@Platform.example', password: 'correct horse', name: 'Bo' };
      const registered = expectStatus(await register(system.baseUrl, account), 201).body;
      expect(await isReviewer(registered.accessToken)).toBe(false);
      const token = await waitForMailedToken(system.dataDir, boss, 'verify');
      expectStatus(await anybody('POST', '/api/auth/verify', { token }), 200);
      expect(await isReviewer(registered.accessToken)).toBe(true);
      const again = { ...account, email: system.demo.reviewer.email };
      expect(codeOf(await register(system.baseUrl, again))).toBe('409 duplicate_email');
    });

    test('is any user that the operator adds and who sets a password by the link, which works once', async () => {
      const admin = async (...args: string[]) => (await system.admin('reviewer', ...args)).stdout;
      const known = await person();
      const before = expectStatus(await login(known.email, known.password), 200).body;
      for (const email of [boss, known.email]) {
        const said = await admin('add', email);
        const link = /http:\S+\/console\/reset\?token=([\w-]{43})/.exec(said)!;
        expect(link[0].startsWith(`${system.baseUrl}/console/reset?`)).toBe(true);
        expect(await isReviewer(before.accessToken)).toBe(false);
        expect(codeOf(await reset(link[1]!, 'short'))).toBe('400 invalid_body');
        expect(expectStatus(await reset(link[1]!, 'a new password'), 200).body).toEqual({});
        expect(codeOf(await reset(link[1]!, 'another password'))).toBe('400 invalid_token');
        expect(await isReviewer((await login(email, 'a new password')).body.accessToken)).toBe(true);
      }
      for (const token of [before.accessToken, known.accessToken])
        expect(codeOf(await as(token)('GET', '/api/me'))).toBe('401 user_token_required');
      expect(codeOf(await refresh(before.refreshToken))).toBe('401 invalid_refresh_token');

      const { accessToken } = (await login(known.email, 'a new password')).body;
      expect(await isReviewer(accessToken)).toBe(true);
      await admin('remove', known.email);
      expect(await isReviewer(accessToken)).toBe(false);
    });

    inOneTopology('is not created for a wrong address: one line names the problem', async () => {
      const wrong = [
        [['reviewer', 'remove', boss], 'PLATFORM_REVIEWER_EMAILS'],
        [['reviewer', 'add', 'nonsense'], 'nonsense is not an e-mail address.'],
        [['reviewer', 'add'], 'Usage: '],
      ] as const;
      await Promise.all(
        wrong.map(([args, line]) =>
          expect(system.admin(...args)).rejects.toMatchObject({
            code: 1,
            stderr: expect.stringContaining(line),
          }),
        ),
      );
    });

    test('exists in the demo', async () => {
      const { email, password } = system.demo.reviewer;
      expect(await isReviewer((await login(email, password)).body.accessToken)).toBe(true);
    });

    inOneTopology('is not created by a wrong link', async () => {
      for (const token of ['', 'x'.repeat(43), '💥'.repeat(1000)])
        expect(codeOf(await reset(token, 'a new password'))).toBe('400 invalid_token');
    });
  });

  describe('mail', () => {
    const linkFor = ({ email }: { email: string }, page: string) =>
      waitForMailedToken(system.dataDir, email, page);
    const verify = (token: string) => anybody('POST', '/api/auth/verify', { token });
    const isVerified = async ({ call }: Person) => (await call('GET', '/api/me')).body.user.emailVerified;
    const accept = ({ call }: Person, token: string) => call('POST', '/api/invitations/accept', { token });

    test('verifies an address, once', async () => {
      const ann = await person();
      expect(await isVerified(ann)).toBe(false);
      const token = await linkFor(ann, 'verify');
      expect(expectStatus(await verify(token), 200).body.user).toMatchObject({
        id: ann.userId,
        emailVerified: true,
      });
      expect(await isVerified(ann)).toBe(true);
      expect(codeOf(await verify(token))).toBe('400 invalid_token');
      expectStatus(await ann.call('POST', '/api/auth/verification', {}), 202);
      expect(codeOf(await anybody('POST', '/api/auth/verification', {}))).toBe('401 missing_credential');
    });

    test('resets a forgotten password, and ends all sessions', async () => {
      const ann = await person();
      const [known, unknown] = await Promise.all(
        [ann.email, 'nobody-at-all@example.com'].map((email) =>
          anybody('POST', '/api/auth/forgot', { email }),
        ),
      );
      expect([known!.status, known!.body]).toEqual([202, {}]);
      expect([unknown!.status, unknown!.body]).toEqual([202, {}]);
      const token = await linkFor(ann, 'reset');
      const reset = () => anybody('POST', '/api/auth/reset', { token, password: 'a new password' });
      expectStatus(await reset(), 200);
      expect(codeOf(await reset())).toBe('400 invalid_token');
      expect(codeOf(await ann.call('GET', '/api/me'))).toBe('401 user_token_required');
      expect(codeOf(await refresh(ann.refreshToken))).toBe('401 invalid_refresh_token');
      expect(codeOf(await login(ann.email, ann.password))).toBe('401 invalid_login');
      expectStatus(await login(ann.email, 'a new password'), 200);
    });

    test('invites to a store: the role holds from the next request on', async () => {
      const [owner, guest, eve] = [await person('Owner'), await person('Guest'), await person('Eve')];
      await verifyPerson(owner);
      const storeId = await newStore(owner);
      const path = `/api/stores/${storeId}/invitations`;
      const created = await owner.call('POST', path, { email: guest.email, role: 'editor' });
      const { invitation } = expectStatus(created, 201).body;
      expect((await owner.call('GET', path)).body).toMatchObject({ invitations: [invitation], total: 1 });
      const token = await linkFor(guest, 'invitation');
      expect(codeOf(await anybody('POST', '/api/invitations/accept', { token }))).toBe(
        '401 missing_credential',
      );
      expect(codeOf(await accept(guest, token))).toBe('403 email_unverified');
      for (const each of [guest, eve]) expectStatus(await verify(await linkFor(each, 'verify')), 200);
      expect(codeOf(await accept(eve, token))).toBe('400 invalid_token');
      expect(codeOf(await guest.call('GET', `/api/stores/${storeId}`))).toBe('404 not_found');
      const all = await Promise.all(Array.from({ length: 20 }, () => accept(guest, token)));
      expect(all.map(codeOf).sort()).toEqual(['200 undefined', ...Array(19).fill('400 invalid_token')]);
      expect((await guest.call('GET', `/api/stores/${storeId}`)).body.store.role).toBe('editor');
      expect(codeOf(await guest.call('POST', path, { email: eve.email, role: 'viewer' }))).toBe(
        '403 insufficient_role',
      );
    });

    test('invites to an organisation', async () => {
      const [owner, guest] = [await person('Owner'), await person('Guest')];
      await verifyPerson(owner);
      const { org } = (await owner.call('POST', '/api/orgs', { name: 'Acme' })).body;
      const created = await owner.call('POST', `/api/orgs/${org.id}/invitations`, {
        email: guest.email,
        role: 'developer',
      });
      expectStatus(created, 201);
      expectStatus(await verify(await linkFor(guest, 'verify')), 200);
      const token = await linkFor(guest, 'invitation');
      const all = await Promise.all(Array.from({ length: 20 }, () => accept(guest, token)));
      expect(all.map(codeOf).sort()).toEqual(['200 undefined', ...Array(19).fill('400 invalid_token')]);
      expect(all.find(({ status }) => status === 200)!.body).toEqual({
        org: { id: org.id, name: 'Acme' },
        role: 'developer',
      });
      expect((await guest.call('GET', '/api/orgs')).body.orgs).toMatchObject([
        { id: org.id, role: 'developer' },
      ]);
    });
  });

  describe('failed logins', () => {
    test('are refused after ten with Retry-After, for that account only', async () => {
      const [target, other] = [await person(), await person()];
      for (let i = 0; i < 10; i++)
        expect(codeOf(await login(target.email, `guess ${i}`))).toBe('401 invalid_login');
      for (const password of ['guess 11', target.password]) {
        const refused = await login(target.email.toUpperCase(), password);
        expect(codeOf(refused)).toBe('429 rate_limited');
        const seconds = Number(refused.headers['retry-after']);
        expect(seconds).toBeGreaterThan(14 * 60);
        expect(seconds).toBeLessThanOrEqual(15 * 60);
      }
      expectStatus(await login(other.email, other.password), 200);
      expect((await target.call('GET', '/api/me')).status).toBe(200);
    });

    test('that are simultaneous are not checked beyond the ten, and forged addresses change nothing', async () => {
      const { email } = await person();
      const replies = await Promise.all(
        Array.from({ length: 30 }, (_, i) =>
          anybody(
            'POST',
            '/api/auth/login',
            { email, password: 'guess' },
            { 'x-forwarded-for': `192.0.2.${i}`, 'x-waybill-address': `192.0.2.${i}` },
          ),
        ),
      );
      const looked = replies.filter(({ status }) => status === 401);
      expect(looked.length).toBeLessThanOrEqual(10);
      expect(replies.filter(({ status }) => status === 429).length).toBe(30 - looked.length);
    });
  });
});
