import { type EventMessage, errors, newId, StoreChanged, StoreClosed } from '@waybill/contracts';
import { defineConfig, defineService } from '@waybill/kernel';
import { createStubService, eventually, runSql, startSystem, type TestSystem } from '@waybill/testing';
import request from 'supertest';
import Type from 'typebox';
import { identity } from '../src/index.ts';
import { type Client, createClient, type Person, password, repeat } from './people.ts';

/** Roles in organisations, by `<org id>/<user id>`. */
const roles = new Map<string, 'owner' | 'developer'>();
const heard: EventMessage[] = [];
const noSettings = defineConfig(Type.Object({}));

/** A stand-in for the part of the app platform that identity needs: organisations. */
const appPlatform = createStubService('app-platform', {
  'POST /internal/orgs/role'({ body: { orgId, userId } }: { body: { orgId?: string; userId?: string } }) {
    const role = roles.get(`${orgId}/${userId}`);
    if (!role) throw errors.not_found();
    return { role };
  },
  'POST /internal/org-members/sole-ownerships': () => ({ orgIds: [] }),
});
const listener = defineService({
  name: 'listener',
  config: noSettings,
  aggregates: [],
  subscriptions: () => [
    {
      queue: 'listener.stores',
      events: [StoreChanged, StoreClosed],
      batch: 100,
      handle: async (events) => void heard.push(...events),
    },
  ],
});

let system: TestSystem;
let client: Client;
let ann: Person;
beforeAll(async () => {
  system = await startSystem([identity, appPlatform, listener]);
  client = createClient(system);
  ann = await client.newPerson('Ann');
});
afterAll(() => system.stop());

/** Creates an organisation with this person as a member. */
function newOrg(person = ann, role: 'owner' | 'developer' = 'owner'): string {
  const orgId = newId('organisation');
  roles.set(`${orgId}/${person.id}`, role);
  return orgId;
}
const path = (orgId: string) => `/api/orgs/${orgId}/stores`;
const make = (orgId: string, person = ann, name = 'Bench') => client.as(person).post(path(orgId), { name });
const list = (orgId: string, person = ann, query = '') => client.as(person).get(`${path(orgId)}${query}`);
const close = (orgId: string, storeId: string, person = ann) =>
  client.as(person).delete(`${path(orgId)}/${storeId}`);
const getStatusAndCode = ({ status, body }: { status: number; body: { code?: string } }) => [
  status,
  body.code,
];
const facts = (storeId: string) =>
  request(system.internalUrl)
    .get(`/internal/stores/${storeId}`)
    .set({ authorization: `Bearer ${system.serviceToken}` });

describe('POST /api/orgs/{orgId}/stores', () => {
  test('creates a development store, which is marked in every answer and event', async () => {
    const orgId = newOrg(ann, 'developer');
    const res = await make(orgId);
    expect(res).toMatchObject({
      status: 201,
      body: { store: { name: 'Bench', slug: 'bench', isDevelopment: true, role: 'owner' } },
    });
    const { store } = res.body;
    const as = client.as(ann, store.id, 'owner');
    expect((await as.get(`/api/stores/${store.id}`)).body.store).toEqual(store);
    expect((await client.as(ann).get('/api/stores')).body.stores).toContainEqual(store);
    const renamed = await as.patch(`/api/stores/${store.id}`, { name: 'Other', isDevelopment: false });
    expect(renamed.body.store).toMatchObject({ name: 'Other', isDevelopment: true });
    expect((await facts(store.id)).body).toMatchObject({ orgId, store: { isDevelopment: true } });
    const listTold = () => heard.filter(({ storeId }) => storeId === store.id);
    await eventually(() => listTold().length === 2);
    expect(listTold().map(({ data }) => JSON.parse(data).store.isDevelopment)).toEqual([true, true]);

    const ordinary = await client.newStore(ann);
    expect((await facts(ordinary)).body).toMatchObject({ orgId: null, store: { isDevelopment: false } });
  });

  test('404 for who is not in the organisation, or has left it', async () => {
    const [orgId, bob] = [newOrg(), await client.newPerson('Bob')];
    const { store } = (await make(orgId)).body;
    for (const each of [await make(orgId, bob), await list(orgId, bob), await close(orgId, store.id, bob)])
      expect(getStatusAndCode(each)).toEqual([404, 'not_found']);
    roles.delete(`${orgId}/${ann.id}`);
    expect(getStatusAndCode(await make(orgId))).toEqual([404, 'not_found']);
    // The store stays its owner's, like any other store.
    expect((await client.as(ann, store.id, 'owner').get(`/api/stores/${store.id}`)).status).toBe(200);
    expect(getStatusAndCode(await make('org_nonsense'))).toEqual([404, 'not_found']);
  });

  test('an organisation has ten thousand at most; another one when one was closed', async () => {
    const orgId = newOrg();
    await runSql(
      system,
      'identity',
      `insert into store (id, name, slug, currency, org_id)
       select '${orgId}-' || n, 'Many', '${orgId.toLowerCase().replaceAll('_', '-')}-' || n, 'EUR', '${orgId}'
       from generate_series(1, 9995) n`,
    );
    const all = await repeat(10, () => make(orgId));
    const created = all.filter(({ status }) => status === 201);
    expect(created.length).toBe(5);
    for (const each of all.filter(({ status }) => status !== 201))
      expect(getStatusAndCode(each)).toEqual([409, 'too_many_stores']);
    expect((await close(orgId, created[0]!.body.store.id)).status).toBe(204);
    expect((await make(orgId)).status).toBe(201);
    expect((await make(newOrg())).status).toBe(201);
  });

  test('a repetition under its key creates no second store', async () => {
    const orgId = newOrg();
    const principal = { kind: 'user', userId: ann.id, email: ann.email, sessionId: ann.sessionId } as const;
    const ask = async (name: string) =>
      request(system.internalUrl)
        .post(path(orgId))
        .set({ ...(await system.as(principal)), 'idempotency-key': 'once' })
        .send({ name });
    const first = await ask('Bench');
    expect(first.status).toBe(201);
    const again = await ask('Bench');
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect((await ask('Another')).body.code).toBe('idempotency_key_reused');
    expect((await list(orgId)).body.total).toBe(1);
  });
});

test('GET /api/orgs/{orgId}/stores lists them in pages, with the caller’s role', async () => {
  const [orgId, bob] = [newOrg(), await client.newPerson('Bob')];
  roles.set(`${orgId}/${bob.id}`, 'developer');
  const ids: string[] = [];
  for (const person of [ann, bob, ann]) ids.push((await make(orgId, person)).body.store.id);
  await make(newOrg());
  const seen: [id: string, role: string | null][] = [];
  for (let after = ''; ; ) {
    const { body } = await list(orgId, bob, `?limit=2${after && `&after=${after}`}`);
    expect(body.total).toBe(3);
    for (const { id, role } of body.stores) seen.push([id, role]);
    if (!body.nextCursor) break;
    after = body.nextCursor;
  }
  expect(seen).toEqual([ids[0], ids[1], ids[2]].map((id, i) => [id, i === 1 ? 'owner' : null]));
});

describe('DELETE /api/orgs/{orgId}/stores/{storeId}', () => {
  test('closes the store with everybody in it', async () => {
    const [orgId, guest] = [newOrg(), await client.newPerson('Guest')];
    const { store } = (await make(orgId)).body;
    await client.addMember(store.id, ann, guest, 'admin');
    const key = await client
      .as(ann, store.id, 'owner')
      .post(`/api/stores/${store.id}/api-keys`, { name: 'Key', scopes: ['products.read'] });
    expect(key.status).toBe(201);
    expect((await close(orgId, store.id)).status).toBe(204);
    for (const person of [ann, guest]) {
      const resolved = await client.internal('members/resolve', { storeId: store.id, userId: person.id });
      expect(resolved.body.role ?? null).toBeNull();
      expect((await client.as(person).get('/api/stores')).body.stores).not.toContainEqual(
        expect.objectContaining({ id: store.id }),
      );
    }
    const rights = await client.internal('rights/lookup', {
      holders: [{ storeId: store.id, id: key.body.apiKey.id }],
    });
    expect(rights.body.rights).toEqual([[]]);
    expect((await facts(store.id)).status).toBe(404);
    expect((await list(orgId)).body.total).toBe(0);
    expect(getStatusAndCode(await close(orgId, store.id))).toEqual([404, 'not_found']);
    const isClosed = ({ name, storeId }: EventMessage) => name === StoreClosed.name && storeId === store.id;
    await eventually(() => heard.some(isClosed));
  });

  test('is only for owners of the organisation or of the store, and closes no other store', async () => {
    const [orgId, bob] = [newOrg(), await client.newPerson('Bob')];
    roles.set(`${orgId}/${bob.id}`, 'developer');
    const { store } = (await make(orgId)).body;
    const own = (await make(orgId, bob)).body.store;
    expect(getStatusAndCode(await close(orgId, store.id, bob))).toEqual([403, 'insufficient_role']);
    const others = (await make(newOrg())).body.store;
    for (const id of [await client.newStore(ann), others.id, newId('store')])
      expect(getStatusAndCode(await close(orgId, id))).toEqual([404, 'not_found']);
    expect((await close(orgId, own.id, bob)).status).toBe(204);
    expect((await close(orgId, store.id)).status).toBe(204);
  });
});

test('a deleted account closes development stores without other members, which frees their organisation’s limit', async () => {
  const bob = await client.newPerson('Bob');
  const orgId = newOrg(bob);
  roles.set(`${orgId}/${ann.id}`, 'developer');
  const [alone, shared] = [(await make(orgId, bob)).body.store, (await make(orgId, bob)).body.store];
  await client.addMember(shared.id, bob, ann, 'owner');
  expect((await client.as(bob).delete('/api/me', { password })).status).toBe(204);
  expect((await list(orgId)).body.stores).toMatchObject([{ id: shared.id, role: 'owner' }]);
  expect((await facts(alone.id)).status).toBe(404);
});
