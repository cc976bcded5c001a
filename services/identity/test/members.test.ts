import type { Role } from '@waybill/contracts';
import { startSystem, type TestSystem } from '@waybill/testing';
import { identity } from '../src/index.ts';
import { type Client, clientOf, type Person } from './people.ts';

let system: TestSystem;
let client: Client;
let owner: Person;
let ben: Person;
let cat: Person;
let storeId: string;
beforeAll(async () => {
  system = await startSystem([identity]);
  client = clientOf(system);
  owner = await client.newPerson('Olga');
  ben = await client.newPerson('Ben');
  cat = await client.newPerson('Cat');
});
afterAll(() => system.stop());
beforeEach(async () => {
  storeId = await client.newStore(owner);
});

const path = (person?: { id: string }) => `/api/stores/${storeId}/members${person ? `/${person.id}` : ''}`;
const as = (person: Person, role: Role) => client.as(person, storeId, role);
const join = (person: Person, role: Role) => client.addMember(storeId, owner, person, role);
const resolve = (person: Person) => client.internal('members/resolve', { userId: person.id, storeId });
const rolesNow = async () => {
  const { body } = await as(owner, 'owner').get(path());
  return Object.fromEntries(body.members.map((m: { userId: string; role: Role }) => [m.userId, m.role]));
};

describe('POST /members', () => {
  test('makes the user with that address a member, whatever its capitals', async () => {
    const body = { email: ben.email.toUpperCase(), role: 'editor' };
    const res = await as(owner, 'owner').post(path(), body);
    expect(res).toMatchObject({ status: 201 });
    expect(res.body).toEqual({
      member: { userId: ben.id, email: ben.email, name: 'Ben', role: 'editor' },
    });
  });
  test('404 not_found for an address that no user has', async () => {
    const res = await as(owner, 'owner').post(path(), { email: 'nobody@example.com', role: 'viewer' });
    expect(res).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });
  test('409 already_member, also when asked twice at once', async () => {
    const add = () => as(owner, 'owner').post(path(), { email: ben.email, role: 'viewer' });
    const both = await Promise.all([add(), add()]);
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409]);
    const again = await as(owner, 'owner').post(path(), { email: owner.email, role: 'viewer' });
    expect(again.body.code).toBe('already_member');
    expect(await rolesNow()).toEqual({ [owner.id]: 'owner', [ben.id]: 'viewer' });
  });
  test.each([
    ['an unknown role', { email: 'a@b.cc', role: 'god' }],
    ['no role', { email: 'a@b.cc' }],
    ['no address', { role: 'viewer' }],
    ['an address that is no text', { email: ['a@b.cc'], role: 'viewer' }],
  ])('400 invalid_body for %s', async (_, body) => {
    expect((await as(owner, 'owner').post(path(), body)).body.code).toBe('invalid_body');
  });
  test('403 insufficient_role for viewers and editors, by what they are at that moment', async () => {
    await join(ben, 'editor');
    const add = (role: Role) => as(ben, role).post(path(), { email: cat.email, role: 'owner' });
    expect((await add('editor')).body.code).toBe('insufficient_role');
    // The gateway found an admin; that was a moment ago.
    expect((await add('admin')).body.code).toBe('insufficient_role');
    await as(owner, 'owner').delete(path(ben));
    expect((await add('admin')).body.code).toBe('not_found');
  });
});

describe('GET /members', () => {
  test('lists them for any role, in the order they joined, in pages', async () => {
    await join(ben, 'viewer');
    await join(cat, 'admin');
    const { body } = await as(ben, 'viewer').get(path());
    expect(body.members.map(({ name }: { name: string }) => name)).toEqual(['Olga', 'Ben', 'Cat']);
    expect(body.total).toBe(3);
    const page = await as(ben, 'viewer').get(`${path()}?limit=1&offset=2`);
    expect(page.body).toMatchObject({ members: [{ name: 'Cat' }], total: 3 });
  });
  test('404 for who is not a member', async () => {
    expect((await client.as(ben).get(path())).body.code).toBe('not_found');
  });
});

describe('PATCH /members/{userId}', () => {
  test('gives another role', async () => {
    await join(ben, 'viewer');
    const res = await as(owner, 'owner').patch(path(ben), { role: 'admin' });
    expect(res.status).toBe(200);
    expect(res.body).toEqual({ member: { userId: ben.id, email: ben.email, name: 'Ben', role: 'admin' } });
  });
  test('404 for who is not a member, 400 for an unknown role, 403 for an editor', async () => {
    expect((await as(owner, 'owner').patch(path(ben), { role: 'admin' })).status).toBe(404);
    expect((await as(owner, 'owner').patch(path({ id: 'me' }), { role: 'admin' })).status).toBe(404);
    expect((await as(owner, 'owner').patch(path(owner), { role: 'king' })).body.code).toBe('invalid_body');
    await join(ben, 'editor');
    expect((await as(ben, 'editor').patch(path(ben), { role: 'owner' })).body.code).toBe('insufficient_role');
  });
  test('409 last_owner for the only one; with a second it may', async () => {
    expect((await as(owner, 'owner').patch(path(owner), { role: 'admin' })).body.code).toBe('last_owner');
    expect((await as(owner, 'owner').patch(path(owner), { role: 'owner' })).status).toBe(200);
    await join(ben, 'owner');
    expect((await as(owner, 'owner').patch(path(owner), { role: 'admin' })).status).toBe(200);
  });
});

describe('DELETE /members/{userId}', () => {
  test('removes a member; again is 404', async () => {
    await join(ben, 'editor');
    expect((await as(owner, 'owner').delete(path(ben))).status).toBe(204);
    expect((await as(owner, 'owner').delete(path(ben))).status).toBe(404);
    expect(await rolesNow()).toEqual({ [owner.id]: 'owner' });
  });
  test('a viewer may leave, and remove nobody else', async () => {
    await join(ben, 'viewer');
    await join(cat, 'viewer');
    expect((await as(ben, 'viewer').delete(path(cat))).body.code).toBe('insufficient_role');
    expect((await as(ben, 'viewer').delete(path(ben))).status).toBe(204);
  });
  test('409 last_owner for the only one, by itself or by an admin', async () => {
    await join(ben, 'admin');
    expect((await as(owner, 'owner').delete(path(owner))).body.code).toBe('last_owner');
    expect((await as(ben, 'admin').delete(path(owner))).body.code).toBe('last_owner');
  });
});

describe('at least one owner stays', () => {
  test('two owners who demote each other at once: one stays', async () => {
    for (let i = 0; i < 5; i++) {
      storeId = await client.newStore(owner);
      await join(ben, 'owner');
      const both = await Promise.all([
        as(owner, 'owner').patch(path(ben), { role: 'viewer' }),
        as(ben, 'owner').patch(path(owner), { role: 'viewer' }),
      ]);
      expect(both.map(({ status }) => status).sort()).toEqual([200, 403]);
      expect(Object.values(await rolesNow()).sort()).toEqual(['owner', 'viewer']);
    }
  });
  test('three owners who all leave at once: one stays', async () => {
    await join(ben, 'owner');
    await join(cat, 'owner');
    const all = await Promise.all(
      [owner, ben, cat].map((person) => as(person, 'owner').delete(path(person))),
    );
    expect(all.map(({ status }) => status).sort()).toEqual([204, 204, 409]);
    expect(Object.values(await rolesNow())).toEqual(['owner']);
  });
});

describe('POST /internal/members/resolve', () => {
  test('gives the present role under an epoch that each change moves on', async () => {
    await join(ben, 'editor');
    const [first, same] = [(await resolve(ben)).body, (await resolve(ben)).body];
    expect(first).toEqual({ epoch: expect.any(String), role: 'editor' });
    expect(same).toEqual(first);
    await as(owner, 'owner').patch(path(ben), { role: 'viewer' });
    const demoted = (await resolve(ben)).body;
    expect(demoted.role).toBe('viewer');
    expect(demoted.epoch).not.toBe(first.epoch);
    await as(owner, 'owner').delete(path(ben));
    expect(await resolve(ben)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    expect((await resolve(owner)).body.epoch).not.toBe(demoted.epoch);
  });
  test('nobody but a service may ask', async () => {
    const body = { userId: owner.id, storeId };
    expect((await client.post('/internal/members/resolve', body)).status).toBe(401);
    expect((await as(owner, 'owner').post('/internal/members/resolve', body)).status).toBe(401);
  });
});
