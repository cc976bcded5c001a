import { openTestDatabase, startSystem, type TestSystem } from '@waybill/testing';
import fc from 'fast-check';
import { type Kysely, sql } from 'kysely';
import { identity } from '../src/index.ts';
import { deleteExcessSignIns } from '../src/sign-ins/queries.ts';
import { sweepSignIns } from '../src/sign-ins/sign-ins.ts';
import type { Tables } from '../src/tables.ts';
import { readDevice } from '../src/users/sessions.ts';
import { type Client, createClient, type Person, parseSessionId, password, repeat } from './people.ts';

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

const another = 'another horse battery';
const refresh = (refreshToken: string, address?: string, agent?: string) =>
  client.post('/api/auth/refresh', { refreshToken }, address, agent ? { 'user-agent': agent } : {});
const login = (email: string, secret = password, address?: string, agent?: string) =>
  client.post('/api/auth/login', { email, password: secret }, address, agent ? { 'user-agent': agent } : {});

/** Signs the person in again, from another address and with another agent. */
async function elsewhere(person: Person, address = '203.0.113.7', agent = 'Elsewhere/1'): Promise<Person> {
  const { body } = await login(person.email, password, address, agent);
  const { accessToken, refreshToken } = body;
  return { ...person, sessionId: parseSessionId(accessToken), accessToken, refreshToken };
}

/** Asks as the gateway does before a request with an unknown epoch. */
const goesOn = async ({ id, sessionId }: Person) =>
  (await client.internal('sessions/resolve', { userId: id, sessionId })).status === 200;

const listSessions = async (person: Person) =>
  (await client.as(person).get('/api/me/sessions')).body.sessions;

describe('GET /api/me/sessions', () => {
  test('lists where a user is signed in, the one that was used last first', async () => {
    const here = await client.newPerson();
    const there = await elsewhere(here);
    const res = await client.as(here).get('/api/me/sessions');
    const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const times = { createdAt: moment, lastUsedAt: moment };
    expect(res).toMatchObject({ status: 200, body: { total: 2 } });
    expect(res.body.sessions).toEqual([
      { id: there.sessionId, ...times, ip: '203.0.113.7', userAgent: 'Elsewhere/1', isCurrent: false },
      {
        id: here.sessionId,
        ...times,
        ip: expect.stringMatching(/^198\.18\./),
        userAgent: null,
        isCurrent: true,
      },
    ]);
    expect((await listSessions(await client.newPerson())).length).toBe(1);
  });

  test('shows the user of a stolen refresh token; signing out everywhere ends it', async () => {
    const owner = await client.newPerson();
    const stolen = await refresh(owner.refreshToken, '2001:db8::bad', 'Thief/1');
    expect(stolen.status).toBe(200);
    expect(await listSessions(owner)).toMatchObject([
      { ip: '2001:db8::bad', userAgent: 'Thief/1', isCurrent: true },
    ]);
    expect((await client.as(owner).delete('/api/me/sessions')).status).toBe(204);
    expect((await refresh(stolen.body.refreshToken)).status).toBe(401);
    expect(await goesOn(owner)).toBe(false);
  });

  test('knows no session that has run out', async () => {
    const owner = await client.newPerson();
    const other = await elsewhere(owner);
    const past = new Date(Date.now() - 1000);
    await db.updateTable('session').set({ expires_at: past }).where('id', '=', other.sessionId).execute();
    expect(await listSessions(owner)).toMatchObject([{ id: owner.sessionId }]);
  });
});

describe('DELETE /api/me/sessions/{id}', () => {
  test('ends only that session immediately; 404 for an unknown one or another user’s', async () => {
    const owner = await client.newPerson();
    const [other, stranger] = [await elsewhere(owner), await client.newPerson()];
    const end = (id: string) => client.as(owner).delete(`/api/me/sessions/${id}`);
    expect((await end(stranger.sessionId)).body.code).toBe('not_found');
    const epoch = async () =>
      (await client.internal('sessions/resolve', { userId: owner.id, sessionId: owner.sessionId })).body
        .epoch;
    const before = await epoch();
    expect((await end(other.sessionId)).status).toBe(204);
    expect(await epoch()).not.toBe(before);
    expect((await end(other.sessionId)).body.code).toBe('not_found');
    expect(await Promise.all([owner, other, stranger].map(goesOn))).toEqual([true, false, true]);
    expect((await refresh(other.refreshToken)).status).toBe(401);
  });
});

test('of more than 100 sessions those end that were not used for longest', async () => {
  const owner = await client.newPerson();
  const second = await elsewhere(owner);
  await refresh(owner.refreshToken);
  const at = new Date();
  const rows = Array.from({ length: 98 }, (_, i) => ({
    id: `crowd-${owner.id}-${i}`,
    user_id: owner.id,
    expires_at: new Date(Date.now() + 3_600_000),
    last_used_at: at,
  }));
  await db.insertInto('session').values(rows).execute();
  await repeat(3, () => login(owner.email));
  const left = await listSessions(owner);
  expect(left).toHaveLength(100);
  expect(await Promise.all([owner, second].map(goesOn))).toEqual([false, false]);
});

test('what a session is used from is kept printable and short, whatever was sent', () => {
  expect(readDevice('203.0.113.7', { 'user-agent': ' Mozilla/5.0\u202e\t(X11) ' })).toEqual({
    ip: '203.0.113.7',
    user_agent: 'Mozilla/5.0 (X11)',
  });
  expect(readDevice('', { 'user-agent': '\u0000' }).user_agent).toBeNull();
  const text = fc.string({ unit: 'binary', maxLength: 400 });
  fc.assert(
    fc.property(text, text, (address, agent) => {
      const { ip, user_agent } = readDevice(address, { 'user-agent': agent });
      expect([...ip].length).toBeLessThanOrEqual(200);
      expect([...(user_agent ?? '')].length).toBeLessThanOrEqual(200);
      expect(user_agent ?? 'x').not.toMatch(/[\p{C}]|^$/u);
    }),
  );
});

describe('POST /api/auth/password', () => {
  const change = (person: Person, current: string, fresh = another) =>
    client.as(person).post('/api/auth/password', { current, password: fresh });

  test('sets a new password, ends other sessions and links, keeps this session, and sends a mail', async () => {
    const owner = await client.newPerson();
    await client.verify(owner);
    const other = await elsewhere(owner);
    const link = { hash: `hash-${owner.id}`, purpose: 'reset' as const, subject: owner.id };
    await db
      .insertInto('one_time_token')
      .values({ ...link, expires_at: new Date(Date.now() + 3_600_000) })
      .execute();
    expect(await change(owner, password)).toMatchObject({ status: 200, body: {} });
    expect(await Promise.all([owner, other].map(goesOn))).toEqual([true, false]);
    expect((await refresh(owner.refreshToken)).status).toBe(200);
    expect((await login(owner.email)).body.code).toBe('invalid_login');
    expect((await login(owner.email, another)).status).toBe(200);
    const tokens = await db
      .selectFrom('one_time_token')
      .where('subject', '=', owner.id)
      .where('purpose', '=', 'reset')
      .selectAll()
      .execute();
    expect(tokens).toEqual([]);
    const mails = await db.selectFrom('mail').selectAll().where('user_id', '=', owner.id).execute();
    expect(mails.map(({ template }) => template)).toContain('passwordChanged');
  });

  test('a wrong present one is invalid_login, counts as a failed login, and is refused after ten', async () => {
    const owner = await client.newPerson();
    for (let i = 0; i < 10; i++) expect((await change(owner, 'wrong')).body.code).toBe('invalid_login');
    expect((await change(owner, password)).body.code).toBe('rate_limited');
    expect((await login(owner.email, password, '203.0.113.77')).body.code).toBe('rate_limited');
    expect(await goesOn(owner)).toBe(true);
  });

  test('of four simultaneous changes of one password, one succeeds', async () => {
    const owner = await client.newPerson();
    const all = await repeat(4, (i) => change(owner, password, `${another} ${i}`));
    expect(all.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401]);
  });

  test('400 invalid_body for one of nine characters; for nobody 401', async () => {
    const owner = await client.newPerson();
    expect((await change(owner, password, '123456789')).body.code).toBe('invalid_body');
    const res = await client.post('/api/auth/password', { current: password, password: another });
    expect(res.body.code).toBe('missing_credential');
  });
});

describe('PATCH /api/me', () => {
  test('changes only the caller’s name and language; a change without effect keeps updatedAt', async () => {
    const owner = await client.newPerson();
    const patch = (body: object) => client.as(owner).patch('/api/me', body);
    const named = await patch({
      name: 'Zoë',
      email: 'eve@example.com',
      emailVerified: true,
      totpEnabled: true,
    });
    expect(named.body.user).toMatchObject({
      name: 'Zoë',
      email: owner.email,
      emailVerified: false,
      totpEnabled: false,
    });
    const german = await patch({ locale: 'de' });
    expect(german.body.user).toMatchObject({ name: 'Zoë', locale: 'de' });
    expect((await patch({ locale: 'de' })).body.user.updatedAt).toBe(german.body.user.updatedAt);
    for (const wrong of [{ name: '' }, { name: 7 }, { locale: 'xx' }])
      expect((await patch(wrong)).body.code).toBe('invalid_body');
  });

  test('is later than the previous change, whatever the clocks of replicas say', async () => {
    const owner = await client.newPerson();
    const inAnHour = new Date(Date.now() + 3_600_000);
    await db.updateTable('user_account').set({ updated_at: inAnHour }).where('id', '=', owner.id).execute();
    const { body } = await client.as(owner).patch('/api/me', { name: 'Later' });
    expect(body.user.updatedAt > inAnHour.toISOString()).toBe(true);
  });

  test('412 if somebody else has changed it since it was read', async () => {
    const owner = await client.newPerson();
    const as = await system.as({ kind: 'user', userId: owner.id, email: owner.email });
    const read = await client.as(owner).get('/api/me');
    await client.as(owner).patch('/api/me', { name: 'First' });
    const late = await fetch(`${system.internalUrl}/api/me`, {
      method: 'PATCH',
      headers: { ...as, 'content-type': 'application/json', 'if-match': read.headers.etag! },
      body: JSON.stringify({ name: 'Second' }),
    });
    expect(late.status).toBe(412);
  });
});

describe('GET /api/me/sign-ins', () => {
  const signIns = async (person: Person, query = '') =>
    (await client.as(person).get(`/api/me/sign-ins${query}`)).body;

  test('lists what succeeded and what failed, the newest first, in pages, for that person alone', async () => {
    const [person, other] = [await client.newPerson(), await client.newPerson()];
    const storeId = await client.newStore(person);
    await login(person.email, password, '203.0.113.7', 'One/1');
    await login(person.email, 'wrong', '203.0.113.8', 'Two/2');
    await login(`nobody-${person.email}`, 'wrong');
    const { signIns: rows, nextCursor } = await signIns(person);
    const common = { id: expect.stringMatching(/^sgn_[0-9a-z]{26}$/), at: expect.stringMatching(/Z$/) };
    expect([rows, nextCursor]).toEqual([
      [
        { ...common, ip: '203.0.113.8', userAgent: 'Two/2', outcome: 'failed' },
        { ...common, ip: '203.0.113.7', userAgent: 'One/1', outcome: 'ok' },
      ],
      null,
    ]);
    expect((await signIns(other)).signIns).toEqual([]);
    const first = await signIns(person, '?limit=1');
    expect(first.signIns).toEqual([rows[0]]);
    const second = await signIns(person, `?limit=1&after=${first.nextCursor}`);
    expect([second.signIns, second.nextCursor]).toEqual([[rows[1]], null]);
    const audit = await client.internal('audit/identity', { ownerId: storeId, limit: 100 });
    expect(audit.body.entries.map(({ action }: { action: string }) => action)).toEqual(['store.created']);
  });

  test('keeps 90 days, and deletes older and unreadable ones', async () => {
    const person = await client.newPerson();
    await login(person.email);
    await login(person.email);
    await login(`nobody-${person.email}`, 'wrong');
    const [, old] = (await signIns(person)).signIns;
    await db
      .updateTable('sign_in')
      .set({ created_at: new Date(Date.now() - 91 * 86_400_000) })
      .where('id', '=', old.id)
      .execute();
    expect((await signIns(person)).signIns).toHaveLength(1);
    await sweepSignIns(db);
    const left = await db.selectFrom('sign_in').select(['id', 'user_id']).execute();
    expect(left.filter(({ id, user_id }) => id === old.id || user_id === null)).toEqual([]);
  });

  test('keeps the newest 10,000 of a person', async () => {
    const person = await client.newPerson();
    await sql`insert into sign_in (id, user_id, outcome, created_at)
      select 'sgn_' || n, ${person.id}, 'failed', now() - n * interval '1 second' from generate_series(1, 10005) n`.execute(
      db,
    );
    await deleteExcessSignIns(db, person.id);
    const rows = await db.selectFrom('sign_in').select('id').where('user_id', '=', person.id).execute();
    expect(rows).toHaveLength(10_000);
    expect(rows).not.toContainEqual({ id: 'sgn_10001' });
  });
});
