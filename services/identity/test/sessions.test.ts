import { hashCredential } from '@waybill/contracts';
import { openTestDatabase, startSystem, type TestSystem } from '@waybill/testing';
import type { Kysely } from 'kysely';
import { identity } from '../src/index.ts';
import type { Tables } from '../src/tables.ts';
import { sweepSessions } from '../src/users/sessions.ts';
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

const refresh = (refreshToken: string) => client.post('/api/auth/refresh', { refreshToken });

describe('POST /api/auth/refresh', () => {
  test('returns new tokens for the same user repeatedly', async () => {
    let { id, refreshToken } = await client.newPerson();
    for (let i = 0; i < 3; i++) {
      const res = await refresh(refreshToken);
      expect(res).toMatchObject({
        status: 200,
        body: { user: { id }, expiresAt: expect.stringMatching(/Z$/) },
      });
      expect(res.body.refreshToken).not.toBe(refreshToken);
      refreshToken = res.body.refreshToken;
    }
  });
  test('may be repeated after a lost answer, until a successor is used; then the session ends', async () => {
    const { refreshToken: first } = await client.newPerson();
    const lost = (await refresh(first)).body.refreshToken;
    const second = (await refresh(first)).body.refreshToken;
    expect(second).not.toBe(lost);
    const third = (await refresh(second)).body.refreshToken;
    expect(await refresh(first)).toMatchObject({ status: 401, body: { code: 'invalid_refresh_token' } });
    expect((await refresh(third)).status).toBe(401);
    expect((await refresh(second)).status).toBe(401);
  });
  test('a successor that another one has retired ends the session, too', async () => {
    const { refreshToken: first } = await client.newPerson();
    const stolen = (await refresh(first)).body.refreshToken;
    const own = (await refresh(first)).body.refreshToken;
    const next = (await refresh(own)).body.refreshToken;
    expect((await refresh(stolen)).status).toBe(401);
    expect((await refresh(next)).status).toBe(401);
  });
  test('twenty simultaneous ones all succeed, and any of the answers continues to work', async () => {
    const { refreshToken } = await client.newPerson();
    const all = await repeat(20, () => refresh(refreshToken));
    expect(all.every(({ status }) => status === 200)).toBe(true);
    const next = await refresh(all[7]!.body.refreshToken);
    expect((await refresh(next.body.refreshToken)).status).toBe(200);
  });
  test('keeps a thousand tokens of a session, however often it is refreshed', async () => {
    const { refreshToken, sessionId: session_id } = await client.newPerson();
    await refresh(refreshToken);
    const add = (generation: (i: number) => number) =>
      db
        .insertInto('refresh_token')
        .values(
          Array.from({ length: 1500 }, (_, i) => ({
            hash: `${session_id} ${generation(i)} ${i}`,
            session_id,
            generation: generation(i),
            used: true,
            expires_at: new Date(Date.now() + 1_000_000),
          })),
        )
        .execute();
    const count = async () => {
      const ofSession = db.selectFrom('refresh_token').where('session_id', '=', session_id);
      return (await ofSession.select('hash').execute()).length;
    };

    // Tokens of answers that got lost again and again.
    await add(() => 2);
    const again = (await refresh(refreshToken)).body.refreshToken;
    expect(await count()).toBe(1000);
    // Tokens that were used one after the other.
    await add((i) => -i);
    let last = again;
    for (let i = 0; i < 16; i++) last = (await refresh(last)).body.refreshToken;
    expect(await count()).toBeLessThanOrEqual(1016);
    expect((await refresh(last)).status).toBe(200);
  });
  test('of two successors used simultaneously one continues; the other ends the session', async () => {
    const { refreshToken } = await client.newPerson();
    const pair = [(await refresh(refreshToken)).body, (await refresh(refreshToken)).body];
    const used = await Promise.all(pair.map((body) => refresh(body.refreshToken)));
    expect(used.map(({ status }) => status).sort()).toEqual([200, 401]);
    const winner = used.find(({ status }) => status === 200)!;
    expect((await refresh(winner.body.refreshToken)).status).toBe(401);
  });
  test('a user has several sessions; ending one keeps the others', async () => {
    const { email, refreshToken } = await client.newPerson();
    const other = (await client.post('/api/auth/login', { email, password })).body.refreshToken;
    await client.post('/api/auth/logout', { refreshToken });
    expect((await refresh(refreshToken)).status).toBe(401);
    expect((await refresh(other)).status).toBe(200);
  });
  test.each([
    ['unknown', 'A'.repeat(43)],
    ['empty', ''],
    ['not a token at all', '💥'.repeat(1000)],
  ])('401 invalid_refresh_token when it is %s', async (_, token) => {
    expect(await refresh(token)).toMatchObject({ status: 401, body: { code: 'invalid_refresh_token' } });
  });
  test('is valid for 30 days; expired ones are refused and swept, the others stay', async () => {
    const { id, refreshToken } = await client.newPerson();
    const { expires_at } = await db
      .selectFrom('session')
      .selectAll()
      .where('user_id', '=', id)
      .executeTakeFirstOrThrow();
    expect(Math.round((expires_at.getTime() - Date.now()) / 86_400_000)).toBe(30);
    const past = new Date(Date.now() - 1000);
    const hash = hashCredential(refreshToken);
    await db.updateTable('refresh_token').set({ expires_at: past }).where('hash', '=', hash).execute();
    expect((await refresh(refreshToken)).status).toBe(401);

    const fresh = await client.newPerson();
    await db.updateTable('session').set({ expires_at: past }).where('user_id', '=', id).execute();
    expect(await sweepSessions(db)).toBe(false);
    const rows = await db.selectFrom('session').select('user_id').execute();
    expect(rows.map((row) => row.user_id)).not.toContain(id);
    expect((await refresh(fresh.refreshToken)).status).toBe(200);
  });
});

describe('POST /api/auth/logout', () => {
  test('ends the session, with its newest token or an older one; unknown and repeated succeed', async () => {
    const { refreshToken } = await client.newPerson();
    const next = (await refresh(refreshToken)).body.refreshToken;
    for (const token of [refreshToken, refreshToken, 'nothing', '']) {
      const res = await client.post('/api/auth/logout', { refreshToken: token });
      expect(res).toMatchObject({ status: 200, body: {} });
    }
    expect((await refresh(next)).status).toBe(401);
  });
});
