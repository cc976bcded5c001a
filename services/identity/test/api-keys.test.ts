import { hashCredential, isWellFormedCredential, permissions, type Role } from '@waybill/contracts';
import { eventually, openTestDatabase, startSystem, type TestSystem } from '@waybill/testing';
import fc from 'fast-check';
import { type Kysely, sql } from 'kysely';
import { updateLastUse } from '../src/api-keys/queries.ts';
import { identity } from '../src/index.ts';
import type { Tables } from '../src/tables.ts';
import { type Client, createClient, type Person } from './people.ts';

let system: TestSystem;
let client: Client;
let db: Kysely<Tables>;
let owner: Person;
let ben: Person;
let storeId: string;
beforeAll(async () => {
  system = await startSystem([identity]);
  client = createClient(system);
  const url = system.databaseUrl('identity');
  db = await openTestDatabase<Tables>(url);
  owner = await client.newPerson('Olga');
  ben = await client.newPerson('Ben');
});
afterAll(async () => {
  await db.destroy();
  await system.stop();
});
beforeEach(async () => {
  storeId = await client.newStore(owner);
});

const path = (id = '') => `/api/stores/${storeId}/api-keys${id && `/${id}`}`;
const as = (person: Person, role: Role) => client.as(person, storeId, role);
const create = (body: unknown, person = owner, role: Role = 'owner') => as(person, role).post(path(), body);
const revoke = (id: string) => as(owner, 'owner').delete(path(id));
const resolve = (secret: string) => client.internal('credentials/resolve', { hash: hashCredential(secret) });
const newKey = async (scopes: string[] = ['products.read', 'products.write'], person = owner) => {
  const res = await create({ name: 'Key', scopes }, person);
  expect(res.status).toBe(201);
  return res.body as { apiKey: { id: string }; secret: string };
};
const member = (person: Person) => `/api/stores/${storeId}/members/${person.id}`;

describe('POST /api-keys', () => {
  test('creates a key and shows its secret, of which the list shows only the beginning', async () => {
    const scopes = ['products.read', 'orders.write', 'products.read'];
    const res = await create({ name: 'Till', scopes, id: 'key_mine', revokedAt: 'x' });
    expect(res.status).toBe(201);
    const { apiKey, secret } = res.body;
    expect(secret).toMatch(/^wbk_[0-9A-Za-z]{36}$/);
    expect(isWellFormedCredential(secret)).toBe(true);
    expect(apiKey).toEqual({
      id: expect.stringMatching(/^key_[0-9a-z]{26}$/),
      name: 'Till',
      prefix: secret.slice(0, 12),
      scopes: ['products.read', 'orders.write'],
      createdBy: owner.id,
      createdAt: expect.stringMatching(/Z$/),
      lastUsedAt: null,
      revokedAt: null,
    });
    expect((await as(owner, 'owner').get(path())).body).toEqual({
      apiKeys: [apiKey],
      total: 1,
      nextCursor: null,
    });
    const stored = JSON.stringify(await db.selectFrom('api_key').selectAll().execute());
    expect(stored).not.toContain(secret);
    expect(stored).toContain(hashCredential(secret));
  });
  test('accepts every permission', async () => {
    expect((await create({ name: 'All', scopes: permissions })).body.apiKey.scopes).toEqual(permissions);
  });
  test.each([
    ['no scopes', { name: 'X' }],
    ['an empty list', { name: 'X', scopes: [] }],
    ['an unknown scope', { name: 'X', scopes: ['products.read', 'products.delete'] }],
    ['a scope that is no text', { name: 'X', scopes: [null] }],
    ['no name', { scopes: ['products.read'] }],
    ['an empty name', { name: '', scopes: ['products.read'] }],
    ['a name of 201 characters', { name: 'x'.repeat(201), scopes: ['products.read'] }],
  ])('400 invalid_body for %s', async (_, body) => {
    expect(await create(body)).toMatchObject({ status: 400, body: { code: 'invalid_body' } });
  });
  test('409 too_many_api_keys beside 10,000 in use; a revoked one makes room', async () => {
    const { apiKey } = await newKey();
    await sql`insert into api_key (store_id, id, name, prefix, hash, scopes, created_by)
      select ${storeId}, 'key_' || n, 'Key', 'wbk_', ${storeId} || n, '{products.read}', ${owner.id}
      from generate_series(1, 9998) n`.execute(db);
    const body = { name: 'Till', scopes: ['products.read'] };
    const both = await Promise.all([create(body), create(body)]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
    expect(await create(body)).toMatchObject({ status: 409, body: { code: 'too_many_api_keys' } });
    await revoke(apiKey.id);
    expect((await create(body)).status).toBe(201);
  });
  test('403 insufficient_role below admin, and for one who was demoted a moment ago', async () => {
    const body = { name: 'X', scopes: ['products.read'] };
    await client.addMember(storeId, owner, ben, 'admin');
    expect((await create(body, ben, 'admin')).status).toBe(201);
    await as(owner, 'owner').patch(member(ben), { role: 'editor' });
    for (const role of ['viewer', 'editor', 'admin'] as const) {
      expect((await create(body, ben, role)).body.code).toBe('insufficient_role');
    }
    await as(owner, 'owner').delete(member(ben));
    expect((await create(body, ben, 'admin')).body.code).toBe('not_found');
  });
  test('whatever the body, the answer is a documented one', async () => {
    const fields = fc.record({ name: fc.jsonValue(), scopes: fc.jsonValue() }, { requiredKeys: [] });
    await fc.assert(
      fc.asyncProperty(fc.oneof(fields, fc.jsonValue()), async (body) => {
        expect([201, 400]).toContain((await create(body)).status);
      }),
      { numRuns: 60 },
    );
  });
});

describe('GET /api-keys', () => {
  test('lists newest first, revoked ones too, in pages', async () => {
    const keys = [await newKey(), await newKey(), await newKey()];
    await revoke(keys[1]!.apiKey.id);
    const { body } = await as(owner, 'owner').get(path());
    expect(body.total).toBe(3);
    expect(body.apiKeys.map(({ id }: { id: string }) => id)).toEqual(
      keys.map(({ apiKey }) => apiKey.id).reverse(),
    );
    expect(body.apiKeys.map((key: { revokedAt: string | null }) => key.revokedAt !== null)).toEqual([
      false,
      true,
      false,
    ]);
    const page = await as(owner, 'owner').get(`${path()}?limit=1&offset=2`);
    expect(page.body).toMatchObject({ apiKeys: [{ id: keys[0]!.apiKey.id }], total: 3 });
  });
  test('403 insufficient_role for an editor, 404 for who is not a member', async () => {
    expect((await as(ben, 'editor').get(path())).body.code).toBe('insufficient_role');
    expect((await client.as(ben).get(path())).body.code).toBe('not_found');
  });
});

describe('GET /api-keys/{keyId}', () => {
  test('reads one as in the list, for members who manage keys; unknown and foreign ones are 404', async () => {
    const { apiKey } = await newKey();
    const read = await as(owner, 'owner').get(path(apiKey.id));
    expect([read.status, read.body]).toEqual([200, { apiKey }]);
    expect((await as(ben, 'editor').get(path(apiKey.id))).body.code).toBe('insufficient_role');
    expect((await as(owner, 'owner').get(path('key_00000000000000000000000000'))).status).toBe(404);
    storeId = await client.newStore(ben);
    expect((await client.as(ben, storeId, 'owner').get(path(apiKey.id))).status).toBe(404);
  });

  test('is not revoked again by a client that read it before', async () => {
    const { apiKey, secret } = await newKey();
    const read = () => as(owner, 'owner').get(path(apiKey.id));
    const { etag } = (await read()).headers;
    await resolve(secret);
    await eventually(async () => (await read()).body.apiKey.lastUsedAt !== null);
    const revokeAsRead = () => as(owner, 'owner').delete(path(apiKey.id), undefined, { 'if-match': etag! });
    expect((await revokeAsRead()).status).toBe(204);
    const late = await revokeAsRead();
    expect([late.status, late.headers.etag]).toEqual([412, (await read()).headers.etag]);
  });
});

describe('DELETE /api-keys/{keyId}', () => {
  test('revokes; a repetition succeeds and keeps the time; unknown and foreign keys are 404', async () => {
    const { apiKey } = await newKey();
    const revokedAt = async () => (await as(owner, 'owner').get(path())).body.apiKeys[0].revokedAt;
    expect((await revoke(apiKey.id)).status).toBe(204);
    const at = await revokedAt();
    expect((await revoke(apiKey.id)).status).toBe(204);
    expect(await revokedAt()).toBe(at);
    expect((await revoke('key_00000000000000000000000000')).status).toBe(404);
    expect((await revoke('nothing')).status).toBe(404);
    storeId = await client.newStore(ben);
    expect((await client.as(ben, storeId, 'owner').delete(path(apiKey.id))).status).toBe(404);
  });
});

describe('POST /internal/credentials/resolve', () => {
  test("gives the key's principal with what its creator may do", async () => {
    const { apiKey, secret } = await newKey();
    expect((await resolve(secret)).body).toEqual({
      epoch: expect.any(String),
      storeId,
      outcome: 'ok',
      principal: {
        kind: 'apiKey',
        storeId,
        keyId: apiKey.id,
        scopes: ['products.read', 'products.write'],
        creatorPermissions: permissions,
      },
    });
  });
  test('a revoked key is revoked, under another epoch', async () => {
    const { apiKey, secret } = await newKey();
    const { epoch } = (await resolve(secret)).body;
    await revoke(apiKey.id);
    const { body } = await resolve(secret);
    expect(body.outcome).toBe('revoked');
    expect(body.epoch).not.toBe(epoch);
  });
  test('a key loses the permissions that its creator loses, until they return', async () => {
    await client.addMember(storeId, owner, ben, 'admin');
    const { secret } = (await create({ name: 'X', scopes: ['products.write'] }, ben, 'admin')).body;
    const may = async () => {
      const { outcome, principal } = (await resolve(secret)).body;
      expect(outcome).toBe('ok');
      return principal.creatorPermissions;
    };
    expect(await may()).toContain('integrations.write');
    await as(owner, 'owner').patch(member(ben), { role: 'viewer' });
    expect(await may()).not.toContain('products.write');
    await as(owner, 'owner').delete(member(ben));
    expect(await may()).toEqual([]);
    await client.addMember(storeId, owner, ben, 'editor');
    expect(await may()).toContain('products.write');
  });
  test.each([[['products.read', 'gone.read']], [[]]])(
    'a key with the stored scopes %j is unusable',
    async (scopes) => {
      const { apiKey, secret } = await newKey();
      await db.updateTable('api_key').set({ scopes }).where('id', '=', apiKey.id).execute();
      const { body } = await resolve(secret);
      expect(body.outcome).toBe('unusable');
      expect(body.principal.scopes).toEqual(scopes.filter((scope) => scope === 'products.read'));
    },
  );
  test('404 not_found for a hash that belongs to no key', async () => {
    for (const hash of [hashCredential('wbk_x'), '', '💥', "' or 1=1"]) {
      const res = await client.internal('credentials/resolve', { hash });
      expect(res).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
  });
  test('notes the use, after the answer; not that of a revoked key', async () => {
    const [used, revoked] = [await newKey(), await newKey()];
    await revoke(revoked.apiKey.id);
    await resolve(revoked.secret);
    await resolve(used.secret);
    const list = async () => (await as(owner, 'owner').get(path())).body.apiKeys;
    const lastUses = await eventually(async () => {
      const uses = (await list()).map((key: { lastUsedAt: string | null }) => key.lastUsedAt);
      return uses[1] && uses;
    });
    expect(lastUses).toEqual([null, expect.stringMatching(/^\d{4}-.*Z$/)]);
  });
  test('a use within a minute of the one noted is not noted', async () => {
    const { id } = (await newKey()).apiKey;
    const noted = async (secondsAgo: number) => {
      const before = new Date(Date.now() - secondsAgo * 1000);
      await db.updateTable('api_key').set({ last_used_at: before }).where('id', '=', id).execute();
      await updateLastUse(db, storeId, id);
      const { last_used_at } = await db
        .selectFrom('api_key')
        .select('last_used_at')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      return last_used_at! > before;
    };
    expect(await noted(50)).toBe(false);
    expect(await noted(70)).toBe(true);
  });
  test('only services may call it', async () => {
    const { secret } = await newKey();
    const body = { hash: hashCredential(secret) };
    expect((await client.post('/internal/credentials/resolve', body)).status).toBe(401);
    expect((await as(owner, 'owner').post('/internal/credentials/resolve', body)).status).toBe(401);
  });
  test('a revocation during a look-up invalidates its result', async () => {
    const { apiKey, secret } = await newKey();
    const looks = Array.from({ length: 20 }, () => resolve(secret));
    await revoke(apiKey.id);
    const after = (await resolve(secret)).body.epoch;
    for (const { body } of await Promise.all(looks)) {
      if (body.outcome === 'ok') expect(body.epoch).not.toBe(after);
    }
  });
});
