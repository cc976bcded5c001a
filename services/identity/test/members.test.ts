import type { Role } from '@waybill/contracts';
import { startSystem, type TestSystem, waitForMailedToken } from '@waybill/testing';
import { identity } from '../src/index.ts';
import { type Client, createClient, type Person } from './people.ts';

let system: TestSystem;
let client: Client;
let owner: Person;
let ben: Person;
let cat: Person;
let storeId: string;
beforeAll(async () => {
  system = await startSystem([identity]);
  client = createClient(system);
  owner = await client.newPerson('Olga');
  ben = await client.newPerson('Ben');
  cat = await client.newPerson('Cat');
  for (const person of [owner, ben, cat]) await client.verify(person);
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
  const invitationFor = (email: string, role: string) => ({
    invitation: expect.objectContaining({
      id: expect.stringMatching(/^inv_/),
      email,
      role,
      invitedBy: owner.id,
    }),
  });
  const accept = (person: Person, token: string) =>
    client.as(person).post('/api/invitations/accept', { token });
  const actions = async () => {
    const { body } = await client.internal('audit/identity', { ownerId: storeId, limit: 100 });
    return body.entries.map(({ action, actor }: { action: string; actor: { id: string } }) => [
      action,
      actor.id,
    ]);
  };

  test('invites an address with or without a user: the membership begins with the acceptance', async () => {
    const guest = await client.newPerson('Guest');
    for (const email of [guest.email, `nobody-${guest.email}`]) {
      const res = await as(owner, 'owner').post(path(), { email: email.toUpperCase(), role: 'editor' });
      expect([res.status, res.body]).toEqual([201, invitationFor(email, 'editor')]);
    }
    expect(await rolesNow()).toEqual({ [owner.id]: 'owner' });
    const token = await waitForMailedToken(system.dataDir, guest.email, 'invitation');
    expect(await accept(guest, token)).toMatchObject({ status: 403, body: { code: 'email_unverified' } });
    expect(await rolesNow()).toEqual({ [owner.id]: 'owner' });
    await client.verify(guest);
    expect((await accept(guest, token)).status).toBe(200);
    expect(await rolesNow()).toEqual({ [owner.id]: 'owner', [guest.id]: 'editor' });
    const recorded = await actions();
    expect(recorded).toContainEqual(['invitation.created', owner.id]);
    expect(recorded).toContainEqual(['member.added', guest.id]);
  });
  test('409 already_member for a present member, by either route', async () => {
    await join(ben, 'viewer');
    for (const route of [path(), `/api/stores/${storeId}/invitations`]) {
      const res = await as(owner, 'owner').post(route, { email: ben.email.toUpperCase(), role: 'viewer' });
      expect(res).toMatchObject({ status: 409, body: { code: 'already_member' } });
    }
  });
  test('409 email_unverified for an inviter without a verified address, which uses nothing up', async () => {
    const [eve, guest] = [await client.newPerson('Eve'), await client.newPerson()];
    storeId = await client.newStore(eve);
    for (const route of [path(), `/api/stores/${storeId}/invitations`])
      for (let n = 0; n < 5; n++) {
        const res = await as(eve, 'owner').post(route, { email: guest.email, role: 'viewer' });
        expect(res).toMatchObject({ status: 409, body: { code: 'email_unverified' } });
      }
    storeId = await client.newStore(owner);
    const res = await as(owner, 'owner').post(path(), { email: guest.email, role: 'viewer' });
    expect(res.status).toBe(201);
  });
  test('429 rate_limited from the sixth invitation on that an address gets in an hour, by both routes together', async () => {
    const { email } = await client.newPerson();
    for (let n = 0; n < 6; n++) {
      const route = n % 2 ? path() : `/api/stores/${storeId}/invitations`;
      const res = await as(owner, 'owner').post(route, { email, role: 'viewer' });
      expect(res.status).toBe(n < 5 ? 201 : 429);
    }
  });
  test.each([
    ['an unknown role', { email: 'a@b.cc', role: 'god' }],
    ['no role', { email: 'a@b.cc' }],
    ['no address', { role: 'viewer' }],
    ['an address that is no text', { email: ['a@b.cc'], role: 'viewer' }],
    ['what is no address', { email: 'nobody', role: 'viewer' }],
  ])('400 invalid_body for %s', async (_, body) => {
    expect((await as(owner, 'owner').post(path(), body)).body.code).toBe('invalid_body');
  });
  test('403 insufficient_role for viewers and editors, by what they are at that moment', async () => {
    await join(ben, 'editor');
    const add = (role: Role) => as(ben, role).post(path(), { email: cat.email, role: 'owner' });
    expect((await add('editor')).body.code).toBe('insufficient_role');
    // The gateway passes the role that it found a moment ago.
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
  test('changes a role', async () => {
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
  test('a viewer may leave, and cannot remove others', async () => {
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
  test('of two owners who demote each other simultaneously one stays', async () => {
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
  test('of three owners who leave simultaneously one stays', async () => {
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
  test('returns the current role under an epoch that every change bumps', async () => {
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
  test('only services may call it', async () => {
    const body = { userId: owner.id, storeId };
    expect((await client.post('/internal/members/resolve', body)).status).toBe(401);
    expect((await as(owner, 'owner').post('/internal/members/resolve', body)).status).toBe(401);
  });
});
