import { hashCredential, newId } from '@waybill/contracts';
import { openTestDatabase, startSystem, type TestSystem, waitUntilBlocked } from '@waybill/testing';
import type { Kysely } from 'kysely';
import { generateSync } from 'otplib';
import { identity } from '../src/index.ts';
import {
  createRecoveryCodes,
  findTimeStep,
  hashRecoveryCode,
  toTotpUri,
} from '../src/second-factor/codes.ts';
import type { Tables } from '../src/tables.ts';
import { type Client, createClient, type Person, password, repeat } from './people.ts';

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

/** Returns the code that is valid a number of time steps from now. */
const generateCode = (secret: string, steps = 0) =>
  generateSync({ secret, epoch: Math.floor(Date.now() / 1000) + steps * 30 });
const login = (email: string, code?: string, secret = password, address?: string) =>
  client.post('/api/auth/login', { email, password: secret, code }, address);

interface Protected extends Person {
  secret: string;
  recoveryCodes: string[];
}

/** Creates a person with the second factor on, confirmed with a code of the previous time step. */
async function newProtected(): Promise<Protected> {
  const person = await client.newPerson();
  await client.verify(person);
  const { secret } = (await client.as(person).post('/api/me/totp', {})).body;
  const res = await client.as(person).post('/api/me/totp/confirm', { code: generateCode(secret, -1) });
  expect(res.status).toBe(200);
  return { ...person, secret, recoveryCodes: res.body.recoveryCodes };
}
const isOn = async (person: Person) => (await client.as(person).get('/api/me')).body.user.totpEnabled;
const mailsTo = async ({ id }: Person) =>
  (await db.selectFrom('mail').selectAll().where('user_id', '=', id).orderBy('id').execute()).map(
    ({ template }) => template,
  );

test('codes are those of RFC 6238, and good one step to either side', () => {
  // The RFC's test vector: the secret of 20 bytes in base32, and the last six digits of its SHA-1 codes.
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
  expect(generateSync({ secret, epoch: 1_111_111_109 })).toBe('081804');
  const now = Math.floor(Date.now() / 30_000);
  expect([-2, -1, 0, 1, 2].map((step) => findTimeStep(secret, generateCode(secret, step)))).toEqual([
    null,
    now - 1,
    now,
    now + 1,
    null,
  ]);
  expect(toTotpUri(secret, 'zoë+1@example.com')).toBe(
    `otpauth://totp/Waybill:zo%C3%AB%2B1%40example.com?secret=${secret}&issuer=Waybill`,
  );
});

test('recovery codes are ten, of 120 bits, and good however they are typed', () => {
  const codes = createRecoveryCodes();
  expect(new Set(codes).size).toBe(10);
  for (const code of codes) expect(code).toMatch(/^[0-9a-hjkmnp-tv-z]{6}(-[0-9a-hjkmnp-tv-z]{6}){3}$/);
  expect(hashRecoveryCode(` ${codes[0]!.toUpperCase().replaceAll('-', ' ')}`)).toBe(
    hashRecoveryCode(codes[0]!),
  );
});

describe('turning it on', () => {
  test('is confirmed by a code of the newest secret; until then a login needs no code', async () => {
    const person = await client.newPerson();
    await client.verify(person);
    const first = (await client.as(person).post('/api/me/totp', {})).body;
    const second = (await client.as(person).post('/api/me/totp', {})).body;
    expect(second).toEqual({
      secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
      uri: toTotpUri(second.secret, person.email),
    });
    expect(second.secret).not.toBe(first.secret);
    const confirm = (code: string) => client.as(person).post('/api/me/totp/confirm', { code });
    for (const wrong of [generateCode(first.secret), '', 'abcdef', generateCode(second.secret, 5)])
      expect(await confirm(wrong)).toMatchObject({ status: 400, body: { code: 'invalid_code' } });
    expect((await login(person.email)).status).toBe(200);
    expect(await isOn(person)).toBe(false);
    const res = await confirm(generateCode(second.secret));
    expect(res.body.recoveryCodes).toHaveLength(10);
    expect(await isOn(person)).toBe(true);
    // The code that confirmed the secret is spent.
    expect((await login(person.email, generateCode(second.secret))).body.code).toBe('invalid_code');
  });

  test('409 invalid_state when it is on already, or was not begun', async () => {
    const person = await newProtected();
    const post = (who: Person, path: string) => client.as(who).post(path, { code: '123456' });
    expect(await post(person, '/api/me/totp')).toMatchObject({
      status: 409,
      body: { code: 'invalid_state' },
    });
    expect((await post(person, '/api/me/totp/confirm')).body.code).toBe('invalid_state');
    const other = await client.newPerson();
    await client.verify(other);
    expect((await post(other, '/api/me/totp/confirm')).body.code).toBe('invalid_state');
  });

  test('stores neither the secret nor a recovery code in plain text', async () => {
    const { id, secret, recoveryCodes } = await newProtected();
    const user = await db
      .selectFrom('user_account')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    const codes = await db.selectFrom('recovery_code').selectAll().where('user_id', '=', id).execute();
    const stored = JSON.stringify([user, codes]);
    expect(codes).toHaveLength(10);
    for (const text of [secret, ...recoveryCodes, recoveryCodes[0]!.replaceAll('-', '')])
      expect(stored).not.toContain(text);
  });
});

describe('signing in', () => {
  test('asks for a code after the right password, and does not mention it after a wrong one', async () => {
    const { email, secret } = await newProtected();
    expect(await login(email)).toMatchObject({ status: 401, body: { code: 'totp_required' } });
    expect(await login(email, '000000')).toMatchObject({ status: 401, body: { code: 'invalid_code' } });
    for (const code of [undefined, '000000', generateCode(secret)])
      expect((await login(email, code, 'wrong')).body.code).toBe('invalid_login');
    const res = await login(email, generateCode(secret));
    expect(res).toMatchObject({ status: 200, body: { user: { totpEnabled: true } } });
  });

  test('accepts a code once: of twenty simultaneous uses one signs in', async () => {
    const { email, secret } = await newProtected();
    const code = generateCode(secret);
    const all = await repeat(20, () => login(email, code));
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1);
    // The other attempts count as failures, up to the limit.
    expect(new Set(all.map(({ status }) => status))).toEqual(
      new Set([200, 401, ...(all.some(({ status }) => status === 429) ? [429] : [])]),
    );
  });

  test('accepts no code older than a used one', async () => {
    const { email, secret } = await newProtected();
    expect((await login(email, generateCode(secret, 1))).status).toBe(200);
    expect((await login(email, generateCode(secret))).body.code).toBe('invalid_code');
  });

  test('accepts a recovery code once, even of twenty simultaneous uses, and sends a mail', async () => {
    const person = await newProtected();
    await client.verify(person);
    const [first, code] = person.recoveryCodes as [string, string];
    expect((await login(person.email, first.toUpperCase())).status).toBe(200);
    const all = await repeat(20, () => login(person.email, code));
    expect(all.filter(({ status }) => status === 200)).toHaveLength(1);
    const left = await db.selectFrom('recovery_code').selectAll().where('user_id', '=', person.id).execute();
    expect(left).toHaveLength(8);
    expect((await mailsTo(person)).filter((template) => template === 'recoveryCodeUsed')).toHaveLength(2);
  });

  test('counts wrong codes as failed logins, which the right password alone does not reset', async () => {
    const { email, secret } = await newProtected();
    for (let i = 0; i < 10; i++) {
      expect((await login(email)).body.code).toBe('totp_required');
      expect((await login(email, '000000')).body.code).toBe('invalid_code');
    }
    expect((await login(email, generateCode(secret))).body.code).toBe('rate_limited');
  });

  test('asks for a code after a reset of the password, too', async () => {
    const person = await newProtected();
    const token = 'A'.repeat(40) + person.id.slice(-3);
    await db
      .insertInto('one_time_token')
      .values({
        hash: hashCredential(token),
        purpose: 'reset',
        subject: person.id,
        expires_at: new Date(Date.now() + 60_000),
      })
      .execute();
    const fresh = 'another horse battery';
    expect((await client.post('/api/auth/reset', { token, password: fresh })).status).toBe(200);
    expect((await login(person.email, undefined, fresh)).body.code).toBe('totp_required');
    expect((await login(person.email, generateCode(person.secret), fresh)).status).toBe(200);
  });
});

describe('turning it off', () => {
  const remove = (person: Person, code: string) => client.as(person).delete('/api/me/totp', { code });

  test('is removed by a code or a recovery code; then the password is enough, and another secret can be set up', async () => {
    const [one, other] = [await newProtected(), await newProtected()];
    await client.verify(one);
    expect((await remove(one, generateCode(one.secret))).status).toBe(204);
    expect((await remove(other, other.recoveryCodes[3]!)).status).toBe(204);
    expect(await mailsTo(one)).toContain('totpOff');
    for (const person of [one, other]) {
      expect((await login(person.email)).status).toBe(200);
      expect(await isOn(person)).toBe(false);
    }
    const { secret } = (await client.as(one).post('/api/me/totp', {})).body;
    // The new secret works at once, because used time steps of the old one do not count.
    expect((await client.as(one).post('/api/me/totp/confirm', { code: generateCode(secret) })).status).toBe(
      200,
    );
    expect((await login(one.email, one.recoveryCodes[0])).body.code).toBe('invalid_code');
  });

  test('400 invalid_code for a wrong one, ten of them at most; 409 when it is off', async () => {
    const person = await newProtected();
    const all = [];
    for (let i = 0; i < 11; i++)
      all.push((await remove(person, i % 2 ? '000000' : 'no such code')).body.code);
    expect(all).toEqual([...Array(10).fill('invalid_code'), 'rate_limited']);
    expect(await isOn(person)).toBe(true);
    expect((await remove(await client.newPerson(), '000000')).body.code).toBe('invalid_state');
  });

  test('refuses even a right code that waited while ten others failed', async () => {
    const person = await newProtected();
    const waiting = await db.transaction().execute(async (trx) => {
      await trx
        .selectFrom('user_account')
        .select('id')
        .where('id', '=', person.id)
        .forNoKeyUpdate()
        .execute();
      // Not awaited here, because it waits for this transaction.
      const begun = remove(person, generateCode(person.secret));
      await waitUntilBlocked(system.databaseUrl('identity'));
      await repeat(10, () => login(person.email, undefined, 'wrong', '198.51.100.7'));
      return { begun };
    });
    expect((await waiting.begun).body.code).toBe('rate_limited');
    expect(await isOn(person)).toBe(true);
  });
});

test('deleting the account requires password and code; a refusal consumes no code', async () => {
  const person = await newProtected();
  const other = await client.newPerson();
  const storeId = await client.newStore(person);
  await client.addMember(storeId, person, other, 'viewer');
  const code = generateCode(person.secret);
  const leave = (body: object) => client.as(person).delete('/api/me', body);
  expect(await leave({ password: 'wrong', code })).toMatchObject({
    status: 401,
    body: { code: 'invalid_login' },
  });
  expect((await leave({ password })).body.code).toBe('totp_required');
  expect((await leave({ password, code: '000000' })).body.code).toBe('invalid_code');
  expect((await leave({ password, code })).body).toMatchObject({ code: 'last_owner', storeIds: [storeId] });
  await client.as(other, storeId, 'viewer').delete(`/api/stores/${storeId}/members/${other.id}`);
  expect((await leave({ password, code })).status).toBe(204);
  for (const table of ['session', 'recovery_code', 'member', 'mail'] as const) {
    const rows = await db.selectFrom(table).select('user_id').where('user_id', '=', person.id).execute();
    expect(rows).toEqual([]);
  }
  const store = await db.selectFrom('store').selectAll().where('id', '=', storeId).executeTakeFirstOrThrow();
  expect(store).toMatchObject({
    closed_at: expect.any(Date),
    slug: expect.stringMatching(/^closed-[0-9a-f]{40}$/),
  });
});

test('an account that is deleted while it creates a store also closes that store', async () => {
  const person = await client.newPerson();
  const id = newId('store');
  const leaving = await db.transaction().execute(async (trx) => {
    await trx.insertInto('store').values({ id, name: 'Rush', slug: id, currency: 'EUR' }).execute();
    await trx.insertInto('member').values({ store_id: id, user_id: person.id, role: 'owner' }).execute();
    // Not awaited here, because it waits for this transaction.
    const begun = client.as(person).delete('/api/me', { password });
    await waitUntilBlocked(system.databaseUrl('identity'));
    return { begun };
  });
  expect((await leaving.begun).status).toBe(204);
  const { closed_at } = await db
    .selectFrom('store')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  expect(closed_at).not.toBeNull();
});

describe('an address that is not verified', () => {
  const resetBy = async ({ id }: Person) => {
    const token = `${'r'.repeat(20)}${id}`.slice(0, 43);
    await db
      .insertInto('one_time_token')
      .values({
        hash: hashCredential(token),
        purpose: 'reset',
        subject: id,
        expires_at: new Date(Date.now() + 60_000),
      })
      .execute();
    return client.post('/api/auth/reset', { token, password: 'a new password' });
  };

  test('gets no second factor: 409 email_unverified, for confirming one that was begun before, too', async () => {
    const person = await client.newPerson();
    const start = () => client.as(person).post('/api/me/totp', {});
    expect(await start()).toMatchObject({ status: 409, body: { code: 'email_unverified' } });
    await client.verify(person);
    const { secret } = (await start()).body;
    await db
      .updateTable('user_account')
      .set({ email_verified_at: null })
      .where('id', '=', person.id)
      .execute();
    const confirmed = await client.as(person).post('/api/me/totp/confirm', { code: generateCode(secret) });
    expect(confirmed).toMatchObject({ status: 409, body: { code: 'email_unverified' } });
  });

  test('is verified by a reset, which ends the second factor and existing sessions', async () => {
    const squatter = await newProtected();
    await db
      .updateTable('user_account')
      .set({ email_verified_at: null })
      .where('id', '=', squatter.id)
      .execute();
    expect((await resetBy(squatter)).status).toBe(200);
    const entered = await login(squatter.email, undefined, 'a new password');
    expect(entered).toMatchObject({
      status: 200,
      body: { user: { emailVerified: true, totpEnabled: false } },
    });
    expect((await client.post('/api/auth/refresh', { refreshToken: squatter.refreshToken })).status).toBe(
      401,
    );
    const [recoveryCode] = squatter.recoveryCodes;
    const left = await db
      .selectFrom('recovery_code')
      .select('hash')
      .where('user_id', '=', squatter.id)
      .execute();
    expect([recoveryCode !== undefined, left]).toEqual([true, []]);
  });
});
