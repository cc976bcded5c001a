import { createInProcessCache } from '@waybill/kernel';
import {
  eventually,
  listMailsTo,
  openTestDatabase,
  runSql,
  shiftTimes,
  startSystem,
  type TestSystem,
  waitForMailedToken,
} from '@waybill/testing';
import type { Kysely } from 'kysely';
import request from 'supertest';
import type { Context } from '../src/config.ts';
import { identity } from '../src/index.ts';
import type { Tables } from '../src/tables.ts';
import { requestReset } from '../src/users/password-resets.ts';
import { type Client, createClient, type Person, password, repeat } from './people.ts';

let system: TestSystem;
let client: Client;
let db: Kysely<Tables>;
beforeAll(async () => {
  system = await startSystem([identity]);
  client = createClient(system);
  db = await openTestDatabase<Tables>(system.databaseUrl('identity'));
});
afterAll(async () => {
  await db.destroy();
  await system.stop();
});

const getStatusAndCode = ({ status, body }: { status: number; body: { code?: string } }) => [
  status,
  body.code,
];
const verify = (token: string) => client.post('/api/auth/verify', { token });
const reset = (token: string, secret = 'a new password') =>
  client.post('/api/auth/reset', { token, password: secret });
const forgot = (email: string, address?: string) => client.post('/api/auth/forgot', { email }, address);
const linkFor = ({ email }: Person, page: string, count?: number) =>
  waitForMailedToken(system.dataDir, email, page, count);
const isVerified = async (person: Person) => (await client.as(person).get('/api/me')).body.user.emailVerified;
const queued = () =>
  db.selectFrom('mail').select(['template', 'user_id', 'address']).where('state', '=', 'queued').execute();

describe('registering', () => {
  test('mails a link that verifies the address, in the language that the browser likes best', async () => {
    const register = (email: string, language: string) =>
      request(system.internalUrl)
        .post('/api/auth/register')
        .set({ 'x-waybill-address': '198.51.100.7', 'accept-language': language })
        .send({ email, password, name: 'Ann' });
    const [german, french] = await Promise.all([
      register('german@example.com', 'de-AT,de;q=0.9,en;q=0.8'),
      register('french@example.com', 'fr'),
    ]);
    expect(german.body.user.emailVerified).toBe(false);
    const token = await waitForMailedToken(system.dataDir, 'german@example.com', 'verify');
    expect((await listMailsTo(system.dataDir, 'german@example.com'))[0]).toContain('Willkommen bei Waybill');
    const verified = await verify(token);
    expect([verified.status, verified.body.user]).toEqual([
      200,
      { ...german.body.user, emailVerified: true, updatedAt: expect.any(String) },
    ]);
    await waitForMailedToken(system.dataDir, french.body.user.email, 'verify');
    expect((await listMailsTo(system.dataDir, 'french@example.com'))[0]).toContain('Welcome to Waybill');
  });

  test('mails nothing for an address that is taken', async () => {
    const { email } = await client.newPerson();
    await waitForMailedToken(system.dataDir, email, 'verify');
    const again = await client.post('/api/auth/register', { email, password, name: 'Eve' });
    expect(again.status).toBe(409);
    expect(await queued()).toEqual([]);
  });
});

describe('POST /api/auth/verify', () => {
  test('accepts a token once, even of twenty simultaneous uses, and invalidates the others', async () => {
    const person = await client.newPerson();
    const first = await linkFor(person, 'verify');
    expect((await client.as(person).post('/api/auth/verification', {})).status).toBe(202);
    const second = await linkFor(person, 'verify', 2);
    const all = await repeat(20, () => verify(second));
    expect(all.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(400)]);
    expect(getStatusAndCode(await verify(first))).toEqual([400, 'invalid_token']);
    expect(await isVerified(person)).toBe(true);
  });

  test('400 invalid_token for what is wrong, too old, or of another purpose', async () => {
    const person = await client.newPerson();
    const token = await linkFor(person, 'verify');
    for (const wrong of ['', 'x'.repeat(43), '💥'.repeat(1000)])
      expect(getStatusAndCode(await verify(wrong))).toEqual([400, 'invalid_token']);
    expect(getStatusAndCode(await reset(token))).toEqual([400, 'invalid_token']);
    await forgot(person.email);
    expect(getStatusAndCode(await verify(await linkFor(person, 'reset')))).toEqual([400, 'invalid_token']);
    await runSql(
      system,
      'identity',
      `update one_time_token set ${shiftTimes('expires_at', '7 days')} where subject = '${person.id}'`,
    );
    expect(getStatusAndCode(await verify(token))).toEqual([400, 'invalid_token']);
    expect(await isVerified(person)).toBe(false);
  });

  test('users in the configuration are reviewers from the next request on', async () => {
    const person = await client.newPerson();
    await runSql(system, 'identity', `update user_account set is_reviewer = true where id = '${person.id}'`);
    const { sid } = JSON.parse(String(Buffer.from(person.accessToken.split('.')[1]!, 'base64url')));
    const session = async () =>
      (await client.internal('sessions/resolve', { sessionId: sid, userId: person.id })).body;
    const before = await session();
    await verify(await linkFor(person, 'verify'));
    const after = await session();
    expect([before.isReviewer, after.isReviewer]).toEqual([false, true]);
    expect(after.epoch).not.toBe(before.epoch);
  });
});

describe('POST /api/auth/verification', () => {
  test('sends no mail to verified users, and at most five an hour to others', async () => {
    const [verified, flooded] = [await client.newPerson(), await client.newPerson()];
    const listQueued = async () => (await queued()).filter(({ user_id }) => user_id === verified.id);
    await verify(await linkFor(verified, 'verify'));
    // The mail of registering can be read before its row says that it was sent.
    await eventually(async () => (await listQueued()).length === 0);
    expect((await client.as(verified).post('/api/auth/verification', {})).status).toBe(202);
    expect(await listQueued()).toEqual([]);

    for (const { status } of await repeat(9, () => client.as(flooded).post('/api/auth/verification', {})))
      expect(status).toBe(202);
    // One mail from registering, and five more.
    await linkFor(flooded, 'verify', 6);
    expect(await listMailsTo(system.dataDir, flooded.email)).toHaveLength(6);
    expect(getStatusAndCode(await client.post('/api/auth/verification', {}))).toEqual([
      401,
      'missing_credential',
    ]);
  });
});

describe('POST /api/auth/forgot', () => {
  test('answers and behaves in the same way for an unknown address', async () => {
    const { email } = await client.newPerson();
    const [known, other] = [await forgot(email), await forgot('stranger@example.com')];
    expect([known.status, known.body]).toEqual([202, {}]);
    expect([other.status, other.body]).toEqual([202, {}]);

    const statementsFor = async (address: string) => {
      const statements: string[] = [];
      const recording = db.withPlugin({
        transformQuery({ node }) {
          statements.push(JSON.stringify(node).replaceAll(address, '?'));
          return node;
        },
        transformResult: async ({ result }) => result,
      });
      await requestReset({ db: recording, cache: createInProcessCache() } as unknown as Context, address);
      return statements;
    };
    const statements = await statementsFor(email);
    expect(statements).toHaveLength(1);
    expect(await statementsFor('stranger@example.com')).toEqual(statements);
    await waitForMailedToken(system.dataDir, email, 'reset', 2);
    await eventually(async () => (await queued()).length === 0);
    expect(await listMailsTo(system.dataDir, 'stranger@example.com')).toEqual([]);
  });

  test('allows a new password once, which ends every session and verifies the address', async () => {
    const person = await client.newPerson();
    expect((await forgot(person.email.toUpperCase())).status).toBe(202);
    const token = await linkFor(person, 'reset');
    const all = await repeat(20, (i) => reset(token, `password number ${i}`));
    expect(all.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(400)]);
    expect(await isVerified(person)).toBe(true);
    const { refreshToken } = person;
    expect((await client.post('/api/auth/refresh', { refreshToken })).status).toBe(401);
    const winner = `password number ${all.findIndex(({ status }) => status === 200)}`;
    const login = await client.post('/api/auth/login', { email: person.email, password: winner });
    expect(login.status).toBe(200);
  });

  test('sends at most five mails an hour to an address, from any networks', async () => {
    const person = await client.newPerson();
    await linkFor(person, 'verify');
    const all = await repeat(12, (i) => forgot(person.email, `198.19.0.${i}`));
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([202]));
    await linkFor(person, 'reset', 5);
    await eventually(async () => (await queued()).length === 0);
    expect(await listMailsTo(system.dataDir, person.email)).toHaveLength(1 + 5);
  });

  test('400 invalid_body for what is no address', async () => {
    expect(getStatusAndCode(await forgot('nobody'))).toEqual([400, 'invalid_body']);
  });
});

describe('a network', () => {
  test('is limited per purpose and per /64, without limiting logins', async () => {
    const person = await client.newPerson();
    const from = (i: number) => `2001:db8:7:7::${i.toString(16)}`;
    const flood = await repeat(60, (i) => forgot(`flood-${i}@example.com`, from(i)));
    expect(new Set(flood.map(({ status }) => status))).toEqual(new Set([202, 429]));
    const refused = flood.find(({ status }) => status === 429)!;
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    const login = () => client.post('/api/auth/login', { email: person.email, password }, from(1));
    expect((await login()).status).toBe(200);
    const other = { email: 'same-network@example.com', password, name: 'Ann' };
    expect((await client.post('/api/auth/register', other, from(1))).status).toBe(201);
    expect((await forgot('elsewhere@example.com', '2001:db8:7:8::1')).status).toBe(202);
  });
});

test('a user with an address that the caller vouches for is verified, and gets no mail', async () => {
  const created = await client.internal('users', { email: 'demo@example.com', password, name: 'Demo' });
  expect(created.body.user.emailVerified).toBe(true);
  expect((await queued()).filter(({ user_id }) => user_id === created.body.user.id)).toEqual([]);
});
