import { createHash, randomBytes } from 'node:crypto';
import { runSql, startSystem, type TestSystem } from '@waybill/testing';
import { identity } from '../src/index.ts';
import { type Client, createClient, type Person, parseSessionId, password, repeat } from './people.ts';

let system: TestSystem;
let client: Client;
let ann: Person;
beforeAll(async () => {
  system = await startSystem([identity]);
  client = createClient(system);
});
afterAll(() => system.stop());
beforeEach(async () => {
  ann = await client.newPerson();
});

/** Creates a code for a program, and the verifier that the program keeps. */
async function newCode(person = ann) {
  const codeVerifier = randomBytes(32).toString('base64url');
  const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
  const res = await client.as(person).post('/api/me/login-codes', { codeChallenge });
  expect(res).toMatchObject({ status: 201, body: { expiresAt: expect.stringMatching(/Z$/) } });
  return { code: res.body.code as string, codeVerifier };
}
const enter = (given: { code: string; codeVerifier: string }) => client.post('/api/auth/login-codes', given);
const refused = { status: 400, body: { code: 'invalid_token' } };

test('a program signs in with it, by a session of its own', async () => {
  const res = await enter(await newCode());
  expect(res).toMatchObject({
    status: 200,
    body: { user: { id: ann.id }, refreshToken: expect.any(String) },
  });
  const { sessions } = (await client.as(ann).get('/api/me/sessions')).body;
  expect(sessions).toHaveLength(2);
});

test('of many simultaneous uses one succeeds, and none later', async () => {
  const given = await newCode();
  const answers = await repeat(8, () => enter(given));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(await enter(given)).toMatchObject(refused);
});

test('is useless without the program’s verifier, and as a mailed link', async () => {
  const { code, codeVerifier } = await newCode();
  const other = randomBytes(32).toString('base64url');
  expect(await enter({ code, codeVerifier: other })).toMatchObject(refused);
  expect(await client.post('/api/auth/reset', { token: code, password: 'a new password' })).toMatchObject(
    refused,
  );
  expect(await enter({ code, codeVerifier })).toMatchObject({ status: 200 });
});

test('it ends with the session that gave it out, and after a minute', async () => {
  const [late, ended] = [await newCode(), await newCode(await client.newPerson())];
  await runSql(
    system,
    'identity',
    `update one_time_token set expires_at = now() where subject = '${ann.sessionId}'`,
  );
  expect(await enter(late)).toMatchObject(refused);
  await runSql(system, 'identity', `delete from session where id <> '${ann.sessionId}'`);
  expect(await enter(ended)).toMatchObject(refused);
});

test('is not issued for an invalid challenge', async () => {
  for (const codeChallenge of ['', 'short', 'x'.repeat(44), 'ü'.repeat(43)]) {
    const res = await client.as(ann).post('/api/me/login-codes', { codeChallenge });
    expect(res).toMatchObject({ status: 400, body: { code: 'invalid_body' } });
  }
});

describe('the session of a code', () => {
  const isOpen = async ({ accessToken, user }: { accessToken: string; user: { id: string } }) =>
    (await client.internal('sessions/resolve', { sessionId: parseSessionId(accessToken), userId: user.id }))
      .status === 200;
  const derive = async (from: Person) => (await enter(await newCode(from))).body;
  const refresh = (refreshToken: string) => client.post('/api/auth/refresh', { refreshToken });
  const asPerson = (from: Person, derived: { accessToken: string; refreshToken: string }): Person => ({
    ...from,
    ...derived,
    sessionId: parseSessionId(derived.accessToken),
  });

  test('ends with its parent session, and ends its own child sessions', async () => {
    const bob = await client.newPerson('Bob');
    const first = await derive(bob);
    const second = await derive(asPerson(bob, first));
    expect([await isOpen(first), await isOpen(second)]).toEqual([true, true]);
    expect((await client.as(bob).delete(`/api/me/sessions/${bob.sessionId}`)).status).toBe(204);
    expect([await isOpen(first), await isOpen(second)]).toEqual([false, false]);
    for (const { refreshToken } of [first, second]) expect((await refresh(refreshToken)).status).toBe(401);
  });

  test('lasts no longer than that one, and its access token neither', async () => {
    const bob = await client.newPerson('Bob');
    const first = await derive(bob);
    const ends = (when: string) =>
      runSql(system, 'identity', `update session set expires_at = ${when} where id = '${bob.sessionId}'`);
    await ends("now() + interval '1 minute'");
    const { status, body } = await refresh(first.refreshToken);
    expect(status).toBe(200);
    expect(Date.parse(body.expiresAt) - Date.now()).toBeLessThanOrEqual(60_000);
    await ends('now()');
    expect(await isOpen(first)).toBe(false);
    expect((await refresh(body.refreshToken)).status).toBe(401);
  });

  test('becomes independent once its user has entered the password', async () => {
    const bob = await client.newPerson('Bob');
    const derived = await derive(bob);
    const change = { current: password, password: 'another horse battery' };
    expect((await client.as(asPerson(bob, derived)).post('/api/auth/password', change)).status).toBe(200);
    expect(await isOpen(derived)).toBe(true);
  });
});
