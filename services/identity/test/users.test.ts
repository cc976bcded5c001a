import { openTestDatabase, startSystem, type TestSystem } from '@waybill/testing';
import fc from 'fast-check';
import { createLocalJWKSet, jwtVerify } from 'jose';
import type { Kysely } from 'kysely';
import { identity } from '../src/index.ts';
import type { Tables } from '../src/tables.ts';
import { type Client, createClient, password, repeat } from './people.ts';

let system: TestSystem;
let client: Client;
let db: Kysely<Tables>;
beforeAll(async () => {
  system = await startSystem([identity]);
  client = createClient(system);
  const url = system.databaseUrl('identity');
  db = await openTestDatabase<Tables>(url);
});
afterAll(async () => {
  await db.destroy();
  await system.stop();
});

const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const register = (body: object, address?: string) => client.post('/api/auth/register', body, address);
const login = (email: string, secret: string, address?: string) =>
  client.post('/api/auth/login', { email, password: secret }, address);

describe('POST /api/auth/register', () => {
  test('creates a signed-in user, with the e-mail address in lower case and ASCII', async () => {
    const res = await register({ email: 'Zoe@Bücher.Example.COM', password, name: 'Zoë', id: 'usr_mine' });
    expect(res.status).toBe(201);
    expect(res.body).toEqual({
      user: {
        id: expect.stringMatching(/^usr_[0-9a-z]{26}$/),
        email: 'zoe@xn--bcher-kva.example.com',
        emailVerified: false,
        totpEnabled: false,
        name: 'Zoë',
        locale: 'en',
        createdAt: moment,
        updatedAt: moment,
      },
      accessToken: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      expiresAt: moment,
      refreshToken: expect.stringMatching(/^[\w-]{43}$/),
    });
  });
  test('409 duplicate_email for the same address in other capitals', async () => {
    const { email } = await client.newPerson();
    const res = await register({ email: email.toUpperCase(), password, name: 'Bob' });
    expect(res).toMatchObject({ status: 409, body: { code: 'duplicate_email' } });
  });
  test('of four simultaneous requests with one address one succeeds, the others are duplicate_email', async () => {
    const all = await repeat(4, () => register({ email: 'rush@example.com', password, name: 'Rush' }));
    expect(all.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
    expect(new Set(all.map(({ body }) => body.code))).toEqual(new Set([undefined, 'duplicate_email']));
  });
  test.each([
    ['no @', { email: 'ann.example.com' }],
    ['two @', { email: 'a@b@example.com' }],
    ['no domain', { email: 'ann@' }],
    ['a scheme', { email: 'mailto:ann@example.com' }],
    ['a letter that is not ASCII before the @', { email: 'zoë@example.com' }],
    ['two dots in the domain', { email: 'ann@example..com' }],
    ['a space', { email: 'an n@example.com' }],
    ['a line break', { email: 'ann@example.com\n' }],
    ['brackets around it', { email: '<ann@example.com>' }],
    ['a bracket behind it', { email: 'ann@example.com>' }],
    ['an address of 255 characters', { email: `${'a'.repeat(243)}@example.com` }],
    ['a password of 9 characters', { password: '123456789' }],
    ['a password of 201 characters', { password: 'x'.repeat(201) }],
    ['an empty name', { name: '' }],
    ['a name of 201 characters', { name: 'x'.repeat(201) }],
    ['NUL in the password', { password: `${password}\0` }],
    ['a number for a name', { name: 7 }],
    ['no password', { password: undefined }],
  ])('400 invalid_body for %s', async (_, part) => {
    // Registrations are limited per address, so these use their own.
    const res = await register({ email: 'naughty@example.com', password, name: 'N', ...part }, '192.0.2.78');
    expect(res).toMatchObject({ status: 400, body: { code: 'invalid_body' } });
    expect(res.body.details).toMatchObject([{ pointer: `/${Object.keys(part)[0]}` }]);
  });
});

describe('POST /api/auth/login', () => {
  test('of simultaneous wrong codes of an address a hundred are checked, and the next is refused', async () => {
    const wrong = (i: number) => login(`nobody-${i}@example.com`, 'a wrong password', '192.0.2.77');
    const all = await repeat(101, wrong);
    expect(all.map(({ status }) => status).sort()).toEqual([...Array(100).fill(401), 429]);
  });
  test('signs in, whatever the capitals of the address', async () => {
    const { id, email } = await client.newPerson();
    const res = await login(email.toUpperCase(), password);
    expect(res.status).toBe(200);
    expect(Object.keys(res.body).sort()).toEqual(['accessToken', 'expiresAt', 'refreshToken', 'user']);
    expect(res.body.user).toMatchObject({ id, email });
  });
  test('accepts a password whose letters another keyboard composes differently', async () => {
    const email = 'nfd@example.com';
    await register({ email, password: 'Zoë-Zoë-Zoë'.normalize('NFC'), name: 'Zoë' });
    expect((await login(email, 'Zoë-Zoë-Zoë'.normalize('NFD'))).status).toBe(200);
  });
  test('answers a wrong address and a wrong password alike, in like time', async () => {
    const { email } = await client.newPerson();
    const timed = async (address: string) => {
      const started = performance.now();
      const { status, body } = await login(address, 'wrong', '192.0.2.2');
      return { status, body, ms: performance.now() - started };
    };
    const wrong = [await timed(email), await timed(email), await timed(email)];
    const unknown = [await timed('x@y.zz'), await timed('nobody'), await timed('')];
    for (const { status, body } of [...wrong, ...unknown]) {
      expect({ status, body }).toEqual({
        status: 401,
        body: { error: expect.any(String), code: 'invalid_login' },
      });
    }
    const quickest = (all: { ms: number }[]) => Math.min(...all.map(({ ms }) => ms));
    expect(quickest(unknown)).toBeGreaterThan(quickest(wrong) / 3);
  });
});

describe('the access token', () => {
  test('verifies with the published key, and says who and until when', async () => {
    const res = await register({ email: 'jwt@example.com', password, name: 'Jot' });
    const keys = await client.get('/.well-known/jwks.json');
    expect(keys.headers['cache-control']).toBe('public, max-age=300');
    expect(keys.body.keys[0]).not.toHaveProperty('d');
    const { payload, protectedHeader } = await jwtVerify(res.body.accessToken, createLocalJWKSet(keys.body), {
      issuer: 'waybill',
      audience: 'waybill',
      algorithms: ['EdDSA'],
    });
    expect(payload).toMatchObject({ sub: res.body.user.id, email: 'jwt@example.com', name: 'Jot' });
    expect(protectedHeader.kid).toBe(keys.body.keys[0].kid);
    expect(payload.exp! * 1000).toBe(Date.parse(res.body.expiresAt));
    expect(payload.exp! - payload.iat!).toBe(900);
  });
});

describe('GET /api/me', () => {
  test('returns the user; 401 without a token and for a deleted user', async () => {
    const person = await client.newPerson('Mia');
    const res = await client.as(person).get('/api/me');
    expect(res).toMatchObject({ status: 200, body: { user: { id: person.id, name: 'Mia' } } });
    expect((await client.get('/api/me')).body.code).toBe('missing_credential');
    const ghost = { ...person, id: 'usr_00000000000000000000000000' };
    expect((await client.as(ghost).get('/api/me')).body.code).toBe('user_token_required');
  });
});

describe('secrets', () => {
  test('neither a password nor a token is stored in plain text', async () => {
    const { id, refreshToken } = await client.newPerson();
    const users = await db.selectFrom('user_account').selectAll().execute();
    const tokens = await db.selectFrom('refresh_token').selectAll().execute();
    const stored = JSON.stringify([users, tokens]);
    expect(stored).not.toContain(password);
    expect(stored).not.toContain(refreshToken);
    expect(users.find((user) => user.id === id)!.password_hash).toMatch(
      /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/,
    );
  });
});

describe('POST /internal/users/lookup', () => {
  test('finds only the user with the address, in any case', async () => {
    const person = await client.newPerson('Ann');
    const found = await client.internal('users/lookup', { email: person.email.toUpperCase() });
    const user = { id: person.id, email: person.email, name: 'Ann' };
    expect(found.body).toEqual({ user: { ...user, isVerified: false } });
    expect((await client.internal('users/lookup', { email: 'nobody@example.com' })).status).toBe(404);
    expect((await client.post('/internal/users/lookup', { email: person.email })).status).toBe(401);
  });
});

describe('whatever the body', () => {
  const fields = fc.record(
    {
      email: fc.oneof(fc.string({ unit: 'binary' }), fc.jsonValue()),
      password: fc.oneof(fc.string({ unit: 'binary', maxLength: 9 }), fc.jsonValue()),
      name: fc.jsonValue(),
      refreshToken: fc.oneof(fc.string({ unit: 'binary' }), fc.jsonValue()),
    },
    { requiredKeys: [] },
  );
  test.each(['register', 'login', 'refresh', 'logout'])('%s gives a documented answer', async (route) => {
    let n = 0;
    await fc.assert(
      fc.asyncProperty(fc.oneof(fields, fc.jsonValue()), async (body) => {
        const res = await client.post(`/api/auth/${route}`, body ?? null, `198.51.100.${n++}`);
        expect([200, 400, 401]).toContain(res.status);
        if (res.status !== 200) expect(res.body.code).toMatch(/^invalid_/);
      }),
      { numRuns: 60 },
    );
  });
});

describe('the settings', () => {
  test('the process does not start without a valid key', () => {
    const read = (key?: string) => () => identity.config.read({ WAYBILL_USER_TOKEN_KEY: key });
    expect(read()).toThrow('WAYBILL_USER_TOKEN_KEY: must be set');
    expect(read('c2hvcnQ')).toThrow('WAYBILL_USER_TOKEN_KEY: a signing key is 32 bytes in base64url');
  });
});
