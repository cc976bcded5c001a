import { setTimeout as sleep } from 'node:timers/promises';
import {
  newId,
  type Permission,
  type Principal,
  permissions,
  type Role,
  rolePermissions,
} from '@waybill/contracts';
import {
  countWaitingTransactions,
  createStubService,
  runSql,
  shiftTimes,
  startSystem,
  type TestSystem,
} from '@waybill/testing';
import fc from 'fast-check';
import request from 'supertest';
import { identity } from '../src/index.ts';
import { type Client, createClient, type Person, password } from './people.ts';

/** Numbers of identity's waiting transactions during calls to media. */
const waited: number[] = [];
/** A media service that reports every asset as a picture, after a delay. */
const media = createStubService('media', {
  async 'POST /internal/assets/lookup'() {
    await sleep(150);
    waited.push(await countWaitingTransactions(system, 'identity'));
    return { assets: [{ kind: 'image' }] };
  },
});

let system: TestSystem;
let client: Client;
let ann: Person;
let bob: Person;
beforeAll(async () => {
  system = await startSystem([identity, media], {
    PUBLIC_BASE_URL: 'https://api.shop.example/',
    SITES_DOMAIN: 'shops.example',
  });
  client = createClient(system);
  [ann, bob] = [await client.newPerson('Ann'), await client.newPerson('Bob')];
});
afterAll(() => system.stop());

const create = (body: object, person = ann) => client.as(person).post('/api/stores', body);
const change = (storeId: string, body: object) =>
  client.as(ann, storeId, 'owner').patch(`/api/stores/${storeId}`, body);

describe('POST /api/stores', () => {
  test('makes a store whose owner is its creator', async () => {
    const res = await create({ name: 'Crème & Tea', id: 'str_mine', role: 'viewer' });
    expect(res.status).toBe(201);
    const { store } = res.body;
    expect(store).toEqual({
      id: expect.stringMatching(/^str_[0-9a-z]{26}$/),
      name: 'Crème & Tea',
      slug: 'creme-tea',
      currency: 'EUR',
      currencyExponent: 2,
      locales: null,
      isDevelopment: false,
      faviconMediaId: null,
      url: 'https://creme-tea.shops.example/',
      checkout: {
        maxQuantity: 999,
        expireUnpaidAfterMinutes: 60,
        expireManualAfterDays: 14,
        refundLimitCents: null,
        returnDays: 14,
      },
      role: 'owner',
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: store.createdAt,
    });
    const members = await client.as(ann, store.id, 'owner').get(`/api/stores/${store.id}/members`);
    expect(members.body).toEqual({
      members: [{ userId: ann.id, email: ann.email, name: 'Ann', role: 'owner' }],
      total: 1,
      nextCursor: null,
    });
  });
  test('accepts a requested slug and currency', async () => {
    const res = await create({ name: 'X', slug: 'given-1', currency: 'JPY' });
    expect(res.body.store).toMatchObject({ slug: 'given-1', currency: 'JPY' });
  });
  test('a derived slug is unique among all stores; without letters it is the id', async () => {
    const slugs = [];
    for (const person of [ann, bob, ann])
      slugs.push((await create({ name: 'Corner' }, person)).body.store.slug);
    expect(slugs).toEqual(['corner', 'corner-2', 'corner-3']);
    const { store } = (await create({ name: '☃' })).body;
    expect(store.slug).toBe(store.id.slice(4));
  });
  test('409 duplicate_slug when a given one is taken; of ten at once one gets it', async () => {
    const all = await Promise.all(
      Array.from({ length: 10 }, (_, i) => create({ name: 'R', slug: 'rush' }, i % 2 ? ann : bob)),
    );
    expect(all.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(all.filter(({ body }) => body.code === 'duplicate_slug')).toHaveLength(9);
  });
  test('409 too_many_own_stores for who owns 10,000; those of others, and other roles, do not count', async () => {
    const [many, helper] = [await client.newPerson('Many'), await client.newPerson('Helper')];
    await runSql(
      system,
      'identity',
      `with made as (
         insert into store (id, name, slug, currency) select 'str_many_' || n, 'Many', 'many-' || n, 'EUR'
         from generate_series(1, 9999) n returning id
       )
       insert into member (store_id, user_id, role)
       select id, '${many.id}', 'owner' from made union all select id, '${helper.id}', 'admin' from made`,
    );
    const all = await Promise.all(Array.from({ length: 5 }, () => create({ name: 'One more' }, many)));
    expect(all.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409]);
    expect(all.find(({ status }) => status === 409)!.body.code).toBe('too_many_own_stores');
    expect((await create({ name: 'First' }, helper)).status).toBe(201);
  });
  test('twenty simultaneous equal names get twenty slugs', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => create({ name: 'Crowd' })));
    expect(new Set(all.map(({ body }) => body.store.slug)).size).toBe(20);
  });
  test.each([
    ['Capitals', 'Shop'],
    ['two hyphens', 'a--b'],
    ['nothing', ''],
    ['121 characters', 'x'.repeat(121)],
    ['null', null],
    ['a number', 5],
  ])('400 invalid_slug for %s', async (_, slug) => {
    expect((await create({ name: 'X', slug })).body.code).toBe('invalid_slug');
  });
  test.each([
    ['no name', {}],
    ['an empty name', { name: '' }],
    ['a name of 201 characters', { name: 'x'.repeat(201) }],
    ['a currency in small letters', { name: 'X', currency: 'eur' }],
    ['an unknown currency', { name: 'X', currency: 'QQQ' }],
    ['null for a currency', { name: 'X', currency: null }],
  ])('400 invalid_body for %s', async (_, body) => {
    expect(await create(body)).toMatchObject({
      status: 400,
      body: { code: 'invalid_body', details: [{ pointer: expect.stringMatching(/^\/(name|currency)$/) }] },
    });
  });
  test('401 for nobody and for a user that is no more', async () => {
    expect((await client.post('/api/stores', { name: 'X' })).body.code).toBe('missing_credential');
    const ghost = { ...ann, id: 'usr_00000000000000000000000000' };
    expect((await create({ name: 'X' }, ghost)).body.code).toBe('user_token_required');
  });
});

describe('GET /api/stores', () => {
  test('lists the own stores with the role in each, oldest first, in pages', async () => {
    const cleo = await client.newPerson('Cleo');
    const own = [await client.newStore(cleo), await client.newStore(cleo)];
    const annsStore = await client.newStore(ann);
    await client.addMember(annsStore, ann, cleo, 'viewer');
    const { body } = await client.as(cleo).get('/api/stores');
    expect(body.total).toBe(3);
    expect(body.stores.map(({ id, role }: { id: string; role: string }) => [id, role])).toEqual([
      [own[0], 'owner'],
      [own[1], 'owner'],
      [annsStore, 'viewer'],
    ]);
    const page = await client.as(cleo).get('/api/stores?limit=1&offset=1');
    expect(page.body).toMatchObject({ stores: [{ id: own[1] }], total: 3 });
    const none = await client.as(await client.newPerson()).get('/api/stores');
    expect(none.body).toEqual({ stores: [], total: 0, nextCursor: null });
  });
});

describe('GET /api/stores/{storeId}', () => {
  test("gives the store with the caller's role; 404 for who is not a member", async () => {
    const storeId = await client.newStore(ann);
    const res = await client.as(ann, storeId, 'owner').get(`/api/stores/${storeId}`);
    expect(res.body.store).toMatchObject({ id: storeId, role: 'owner' });
    expect((await client.as(bob).get(`/api/stores/${storeId}`)).body.code).toBe('not_found');
    const other = await client.newStore(bob);
    expect((await client.as(bob, other, 'owner').get(`/api/stores/${storeId}`)).status).toBe(404);
  });
});

describe('PATCH /api/stores/{storeId}', () => {
  test('changes only the sent fields; without any it changes nothing', async () => {
    const { store } = (await create({ name: 'Before', slug: 'patch-before' })).body;
    const changed = await change(store.id, { name: 'After', currency: 'USD', id: 'x', createdAt: 'x' });
    expect(changed).toMatchObject({
      status: 200,
      body: { store: { ...store, name: 'After', currency: 'USD', updatedAt: expect.any(String) } },
    });
    expect(changed.body.store.updatedAt > store.updatedAt).toBe(true);
    expect((await change(store.id, { slug: 'patch-after' })).body.store.slug).toBe('patch-after');
    const last = (await change(store.id, { name: 'After' })).body.store;
    expect((await change(store.id, {})).body.store).toEqual(last);
  });
  test('409 duplicate_slug, 400 invalid_slug and invalid_body, and nothing changes', async () => {
    const { store } = (await create({ name: 'Keep', slug: 'keep' })).body;
    await create({ name: 'Taken', slug: 'taken-slug' });
    expect((await change(store.id, { name: 'N', slug: 'taken-slug' })).body.code).toBe('duplicate_slug');
    expect((await change(store.id, { name: 'N', slug: 'No' })).body.code).toBe('invalid_slug');
    expect((await change(store.id, { name: 'N', currency: 'QQQ' })).body.code).toBe('invalid_body');
    expect((await change(store.id, { slug: 'keep' })).body.store).toEqual(store);
  });
  test('sets the rules of its checkout one by one, and shows them wherever it shows the store', async () => {
    const { store } = (await create({ name: 'Rules', checkout: { maxQuantity: 5 } })).body;
    const usual = {
      maxQuantity: 999,
      expireUnpaidAfterMinutes: 60,
      expireManualAfterDays: 14,
      refundLimitCents: null,
      returnDays: 14,
    };
    expect(store.checkout).toEqual(usual);
    const few = await change(store.id, { checkout: { maxQuantity: 5 } });
    expect(few.body.store.checkout).toEqual({ ...usual, maxQuantity: 5 });
    const checkout = {
      maxQuantity: 5,
      expireUnpaidAfterMinutes: 525_600,
      expireManualAfterDays: 0,
      refundLimitCents: 5000,
      returnDays: 0,
    };
    const both = await change(store.id, {
      name: 'R',
      checkout: {
        expireUnpaidAfterMinutes: 525_600,
        expireManualAfterDays: 0,
        refundLimitCents: 5000,
        returnDays: 0,
        colour: 1,
      },
    });
    expect(both.body.store).toMatchObject({ name: 'R', checkout });
    expect((await change(store.id, { checkout: {} })).body).toEqual(both.body);
    expect((await change(store.id, { checkout })).body).toEqual(both.body);
    const reader = client.as(ann, store.id, 'viewer');
    expect((await reader.get(`/api/stores/${store.id}`)).body.store.checkout).toEqual(checkout);
    const { stores } = (await client.as(ann).get('/api/stores?limit=200')).body;
    expect(stores.find(({ id }: { id: string }) => id === store.id).checkout).toEqual(checkout);
  });
  test.each([
    [{ maxQuantity: 0 }, '/checkout/maxQuantity'],
    [{ maxQuantity: 1000 }, '/checkout/maxQuantity'],
    [{ maxQuantity: 1.5 }, '/checkout/maxQuantity'],
    [{ maxQuantity: '5' }, '/checkout/maxQuantity'],
    [{ maxQuantity: null }, '/checkout/maxQuantity'],
    [{ expireUnpaidAfterMinutes: -1 }, '/checkout/expireUnpaidAfterMinutes'],
    [{ expireUnpaidAfterMinutes: 525_601 }, '/checkout/expireUnpaidAfterMinutes'],
    [{ expireManualAfterDays: -1 }, '/checkout/expireManualAfterDays'],
    [{ expireManualAfterDays: 366 }, '/checkout/expireManualAfterDays'],
    [{ refundLimitCents: -1 }, '/checkout/refundLimitCents'],
    [{ refundLimitCents: 0.5 }, '/checkout/refundLimitCents'],
    [{ returnDays: -1 }, '/checkout/returnDays'],
    [{ returnDays: null }, '/checkout/returnDays'],
    [[], '/checkout'],
    [null, '/checkout'],
  ])('400 invalid_body for checkout %j', async (checkout, pointer) => {
    const storeId = await client.newStore(ann);
    expect(await change(storeId, { name: 'N', checkout })).toMatchObject({
      status: 400,
      body: { code: 'invalid_body', details: [{ pointer }] },
    });
  });

  test('accepts the store’s languages in canonical form; null restores the default', async () => {
    const { store } = (await create({ name: 'Languages' })).body;
    const given = await change(store.id, { locales: ['EN', 'de-at', 'zh-hant-tw'] });
    expect(given.body.store.locales).toEqual(['en', 'de-AT', 'zh-Hant-TW']);
    expect(given.body.store.updatedAt > store.updatedAt).toBe(true);
    expect((await change(store.id, { locales: ['en', 'de-AT', 'zh-Hant-TW'] })).body).toEqual(given.body);
    expect((await change(store.id, { name: 'Tongues' })).body.store.locales).toHaveLength(3);
    expect((await change(store.id, { locales: null })).body.store.locales).toBe(null);
    const twenty = Array.from({ length: 20 }, (_, i) => `de-x-a${i}`);
    expect((await change(store.id, { locales: twenty })).body.store.locales).toEqual(twenty);
  });
  test.each([
    ['none', [], '/locales'],
    ['more than 20', Array.from({ length: 21 }, (_, i) => `de-x-a${i}`), '/locales'],
    ['something else than a tag', ['en', 'en_US'], '/locales/1'],
    ['the same one twice', ['en', 'de', 'DE'], '/locales/2'],
    ['a number', ['en', 5], '/locales/1'],
    ['no list', 'en', '/locales'],
  ])('400 invalid_body for %s of them', async (_, locales, pointer) => {
    const storeId = await client.newStore(ann);
    const { status, body } = await change(storeId, { locales });
    expect([status, body.code]).toEqual([400, 'invalid_body']);
    expect(body.details).toContainEqual({ pointer, message: expect.any(String) });
  });
  test('403 insufficient_role for an editor; an admin may', async () => {
    const storeId = await client.newStore(ann);
    const patch = (role: 'editor' | 'admin') =>
      client.as(bob, storeId, role).patch(`/api/stores/${storeId}`, { name: 'N' });
    expect((await patch('editor')).body.code).toBe('insufficient_role');
    expect((await patch('admin')).status).toBe(200);
  });
});

test('the ETag of a store is the same for members with any role', async () => {
  const storeId = await client.newStore(ann);
  const read = (role: 'owner' | 'viewer', headers: Record<string, string> = {}) =>
    client.as(ann, storeId, role).get(`/api/stores/${storeId}`, headers);
  const [asOwner, asViewer] = [await read('owner'), await read('viewer')];
  expect([asOwner, asViewer].map(({ body }) => body.store.role)).toEqual(['owner', 'viewer']);
  expect(asViewer.headers.etag).toBe(asOwner.headers.etag);
  expect((await read('viewer', { 'if-none-match': asOwner.headers.etag! })).status).toBe(304);
});

test('no transaction waits for media’s answer about a favicon, even with conditions', async () => {
  const storeId = await client.newStore(ann);
  const user = { kind: 'user', userId: ann.id, email: ann.email, storeId, role: 'owner' } as const;
  const headers = await system.as(user);
  const patch = (bound: Record<string, string>) =>
    request(system.internalUrl)
      .patch(`/api/stores/${storeId}`)
      .set({ ...headers, ...bound })
      .send({ faviconMediaId: newId('mediaAsset') });
  const keyed = await patch({ 'idempotency-key': 'favicon' });
  expect(keyed.status).toBe(200);
  expect((await patch({ 'if-match': keyed.headers.etag! })).status).toBe(200);
  expect((await patch({ 'if-match': keyed.headers.etag! })).status).toBe(412);
  expect(new Set(waited)).toEqual(new Set([0]));
});

describe('whatever the body', () => {
  const fields = fc.record(
    { name: fc.jsonValue(), slug: fc.jsonValue(), currency: fc.jsonValue() },
    { requiredKeys: [] },
  );
  test('create and change give a documented answer', async () => {
    const storeId = await client.newStore(ann);
    await fc.assert(
      fc.asyncProperty(fc.oneof(fields, fc.jsonValue()), async (body) => {
        for (const res of [await create(body as object), await change(storeId, body as object)]) {
          expect([200, 201, 400, 409]).toContain(res.status);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('GET /api/v1/store', () => {
  const scopes: Permission[] = ['products.read', 'products.write'];
  const key = (storeId: string, creatorPermissions: readonly Permission[]): Principal => ({
    kind: 'apiKey',
    storeId,
    keyId: newId('apiKey'),
    scopes,
    creatorPermissions,
  });
  const ask = async (principal: Principal) =>
    request(system.internalUrl)
      .get('/api/v1/store')
      .set(await system.as(principal));

  test('shows a key its store, the store’s address, and the key’s permissions', async () => {
    const { id, slug } = (await create({ name: 'Tea House', currency: 'CHF' })).body.store;
    const facts = {
      currency: 'CHF',
      currencyExponent: 2,
      locales: null,
      isDevelopment: false,
      faviconMediaId: null,
    };
    const store = { id, name: 'Tea House', slug, ...facts };
    const url = `https://${slug}.shops.example/`;
    expect((await ask(key(id, permissions))).body).toEqual({ store: { ...store, url }, scopes });
    // The key's creator has become a viewer in the meantime.
    expect((await ask(key(id, ['products.read']))).body.scopes).toEqual(['products.read']);
    const app = { kind: 'app', storeId: id, appId: newId('app'), installId: newId('install') } as const;
    expect((await ask({ ...app, scopes })).body).toEqual({ store: { ...store, url }, scopes });
  });

  test('tells a member the same at their door, with the permissions of the role', async () => {
    const { id } = (await create({ name: 'Tea House' })).body.store;
    const asKey = (await ask(key(id, permissions))).body;
    const asRole = async (role: Role | undefined) =>
      request(system.internalUrl)
        .get(`/api/stores/${id}/store`)
        .set(await system.as({ kind: 'user', userId: ann.id, email: ann.email, storeId: id, role }));
    expect((await asRole('viewer')).body).toEqual({ store: asKey.store, scopes: rolePermissions.viewer });
    expect((await asRole('owner')).body.scopes).toEqual(permissions);
    expect((await asRole(undefined)).status).toBe(404);
  });

  test('is refused to the key of a removed member, and to users', async () => {
    const { id } = (await create({ name: 'Tea House' })).body.store;
    expect(await ask(key(id, []))).toMatchObject({ status: 403, body: { code: 'insufficient_scope' } });
    const user = { kind: 'user', userId: ann.id, email: ann.email, storeId: id, role: 'owner' } as const;
    expect(await ask(user)).toMatchObject({ status: 401, body: { code: 'api_key_required' } });
  });
});

describe('a slug that a store has left', () => {
  const find = (slug: string, query = '?former=true') =>
    request(system.internalUrl)
      .get(`/internal/store-slugs/${slug}${query}`)
      .set('authorization', `Bearer ${system.serviceToken}`);
  const make = async (slug: string) => (await create({ name: 'Moving', slug })).body.store;
  const getStatusAndCode = ({ status, body }: { status: number; body: { code?: string } }) => [
    status,
    body.code,
  ];
  const duplicate = [409, 'duplicate_slug'];

  test('stays reserved for its store and redirects to it, on every route', async () => {
    const store = await make('left-one');
    for (const slug of ['left-two', 'left-three'])
      expect((await change(store.id, { slug })).status).toBe(200);
    for (const slug of ['left-one', 'left-two', 'left-three']) {
      expect(getStatusAndCode(await create({ name: 'Other', slug }, bob))).toEqual(duplicate);
      expect((await find(slug)).body.store).toMatchObject({ id: store.id, slug: 'left-three' });
    }
    expect(getStatusAndCode(await find('left-one', ''))).toEqual([404, 'not_found']);
    const other = (await create({ name: 'Left one' }, bob)).body.store;
    expect(other.slug).toBe('left-one-2');
    const taken = await client
      .as(bob, other.id, 'owner')
      .patch(`/api/stores/${other.id}`, { slug: 'left-one' });
    expect(getStatusAndCode(taken)).toEqual(duplicate);
    // The store takes back its own former slugs.
    expect((await change(store.id, { slug: 'left-one' })).body.store.slug).toBe('left-one');
    expect((await find('left-three')).body.store.slug).toBe('left-one');
  });

  test('is never lost to another during the change', async () => {
    for (let turn = 0; turn < 5; turn++) {
      const [store, other] = [await make(`race-${turn}`), await make(`racer-${turn}`)];
      const { headers } = await client.as(ann, other.id, 'owner').get(`/api/stores/${other.id}`);
      const principal = await system.as({
        kind: 'user',
        userId: ann.id,
        email: ann.email,
        storeId: other.id,
        role: 'owner',
      });
      const wants = { slug: `race-${turn}` };
      const replies = await Promise.all([
        change(store.id, { slug: `raced-${turn}` }),
        // The transaction may have a snapshot from before the change.
        request(system.internalUrl)
          .patch(`/api/stores/${other.id}`)
          .set({ ...principal, 'if-match': headers.etag! })
          .send(wants),
        create({ name: 'Late', ...wants }, bob),
        create({ name: `Race ${turn}` }, bob),
      ]);
      expect(replies.map(({ status }) => status)).toEqual([200, 409, 409, 201]);
      expect(replies[3]!.body.store.slug).not.toBe(`race-${turn}`);
    }
  });

  test('is reserved for two years after the store is closed, and leads nowhere', async () => {
    const carl = await client.newPerson('Carl');
    const { store } = (await create({ name: 'Closing', slug: 'closing-one' }, carl)).body;
    const owner = client.as(carl, store.id, 'owner');
    expect((await owner.patch(`/api/stores/${store.id}`, { slug: 'closing-two' })).status).toBe(200);
    expect((await client.as(carl).delete('/api/me', { password })).status).toBe(204);
    for (const slug of ['closing-one', 'closing-two']) {
      expect(getStatusAndCode(await create({ name: 'Other', slug }))).toEqual(duplicate);
      expect((await find(slug)).status).toBe(404);
    }
    const age = (interval: string) =>
      runSql(
        system,
        'identity',
        `update store_slug set ${shiftTimes('kept_until', interval)} where store_id = '${store.id}'`,
      );
    await age('2 years -1 day');
    expect(getStatusAndCode(await create({ name: 'Other', slug: 'closing-one' }))).toEqual(duplicate);
    await age('2 days');
    for (const slug of ['closing-one', 'closing-two'])
      expect((await create({ name: 'Other', slug })).body.store.slug).toBe(slug);
  });
});
