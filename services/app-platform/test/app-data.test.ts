import { setTimeout as sleep } from 'node:timers/promises';
import { newId, type Permission, type Principal } from '@waybill/contracts';
import { countWaitingTransactions, eventually } from '@waybill/testing';
import fc from 'fast-check';
import request from 'supertest';
import { type Marketplace, startMarketplace, whileAsked } from './marketplace.ts';

let market: Marketplace;
let appId: string;
beforeAll(async () => {
  market = await startMarketplace();
  appId = (await newApp()).appId;
});
afterAll(() => market.stop());

const scopes: Permission[] = ['appdata.read', 'appdata.write'];

async function newApp() {
  const app = await market.newApp();
  await market.approve(await market.addVersion(app.appId, scopes));
  return app;
}

/** Creates the client of an app in a store of its own that has it installed. */
async function newClient(app = appId, store = market.newStore(), held = scopes) {
  const { storeId } = store;
  const { status, body } = await store.post(`/${app}/install`, { scopes });
  expect(status).toBe(201);
  const call = market.as({ kind: 'app', storeId, appId: app, installId: body.install.id, scopes: held });
  const path = '/api/v1/app-data';
  return {
    store,
    storeId,
    list: async (query = '') => (await call('get', `${path}?${query}`)).body,
    get: (query = '') => call('get', `${path}?${query}`),
    read: (rest: string) => call('get', `${path}/${rest}`),
    put: (value: unknown, headers = {}) => call('put', path, value, headers),
    delete: (rest: string, headers = {}) => call('delete', `${path}/${rest}`, undefined, headers),
    changes: () =>
      market.heard
        .filter((event) => event.storeId === storeId && event.name === 'app-platform.app-data.changed')
        .map(({ data }) => data),
  };
}
type Client = Awaited<ReturnType<typeof newClient>>;

function newProduct(): string {
  const id = newId('product');
  market.products.add(id);
  return id;
}
async function deleteProduct(storeId: string, id: string): Promise<void> {
  market.products.delete(id);
  await market.publishProductDeleted(storeId, id);
}
const code = (status: number, name: string) => ({ status, body: { code: name } });

describe('PUT /app-data', () => {
  let client: Client;
  beforeAll(async () => {
    client = await newClient();
  });

  test('sets a value of the site; the same again changes nothing, another one does', async () => {
    const { put, list, changes } = await newClient();
    const first = await put({ key: 'rating', value: '4.8' });
    expect(first.status).toBe(200);
    const { appData } = first.body;
    expect(appData).toEqual({
      key: 'rating',
      value: '4.8',
      owner: 'site',
      ownerId: null,
      updatedAt: expect.stringMatching(/Z$/),
    });
    const again = await put({ key: 'rating', value: '4.8', owner: 'site', ownerId: null, appId: 'app_x' });
    expect(again.body).toEqual(first.body);
    const other = (await put({ key: 'rating', value: '4.9' })).body.appData;
    expect(other.value).toBe('4.9');
    expect(other.updatedAt > appData.updatedAt).toBe(true);
    expect(await list()).toEqual({ appData: [other], total: 1, nextCursor: null });
    const change = { appId, key: 'rating', owner: 'site', ownerId: null };
    await eventually(() => changes().length === 2);
    expect(changes()).toEqual([change, change]);
  });

  test('with a key, too, no transaction waits for catalog', async () => {
    const { storeId, store } = await newClient();
    const { body } = await store.get(`/${appId}`);
    const { system } = market;
    const principal: Principal = { kind: 'app', storeId, appId, installId: body.install.id, scopes };
    const headers = { ...(await system.as(principal)), 'idempotency-key': 'rating' };
    const value = { key: 'rating', value: '5', owner: 'product', ownerId: newProduct() };
    const put = () => request(system.internalUrl).put('/api/v1/app-data').set(headers).send(value);
    let waiting = -1;
    whileAsked.products = async () => {
      await sleep(150);
      waiting = await countWaitingTransactions(system, 'app-platform');
    };
    const first = await put();
    whileAsked.products = null;
    expect([first.status, waiting]).toEqual([200, 0]);
    const again = await put();
    expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
  });

  test('sets a value of a product beside that of the site', async () => {
    const { put, list } = await newClient();
    const ownerId = newProduct();
    await put({ key: 'rating', value: 'site' });
    const res = await put({ key: 'rating', value: 'product', owner: 'product', ownerId });
    expect(res.body.appData).toMatchObject({ owner: 'product', ownerId });
    expect((await list()).appData.map(({ value }: { value: string }) => value)).toEqual(['site', 'product']);
  });

  test.each([
    [{ value: 'x' }, 'invalid_key'],
    [{ key: 'x' }, 'invalid_body'],
    [{ key: 'x', value: 7 }, 'invalid_body'],
    [{ key: 'x', value: null }, 'invalid_body'],
    [{ key: 'x', value: 'a\0b' }, 'invalid_body'],
    [{ key: 'x', value: 'x'.repeat(8193) }, 'invalid_body'],
    [{ key: 'x', value: `${'é'.repeat(4096)}x` }, 'invalid_body'],
    [{ key: '', value: 'x' }, 'invalid_key'],
    [{ key: 'Upper', value: 'x' }, 'invalid_key'],
    [{ key: '.dot', value: 'x' }, 'invalid_key'],
    [{ key: 'k'.repeat(65), value: 'x' }, 'invalid_key'],
    [{ key: 'line\n', value: 'x' }, 'invalid_key'],
    [{ key: 7, value: 'x' }, 'invalid_key'],
    [{ key: 'x', value: 'x', owner: 'store' }, 'invalid_owner'],
    [{ key: 'x', value: 'x', owner: null }, 'invalid_owner'],
    [{ key: 'x', value: 'x', owner: 'product' }, 'invalid_owner'],
    [{ key: 'x', value: 'x', owner: 'product', ownerId: null }, 'invalid_owner'],
    [{ key: 'x', value: 'x', owner: 'product', ownerId: 7 }, 'invalid_owner'],
    [{ key: 'x', value: 'x', owner: 'product', ownerId: 'ord_00000000000000000000000000' }, 'invalid_owner'],
    [{ key: 'x', value: 'x', ownerId: 'prd_00000000000000000000000000' }, 'invalid_owner'],
    [{ key: 'x', value: 'x'.repeat(8193), owner: 'product' }, 'invalid_owner'],
    [[], 'invalid_body'],
  ])('400 for %j: %s', async (body, name) => {
    expect(await client.put(body)).toMatchObject(code(400, name));
  });
  test.each(['prd_00000000000000000000000000', 'prd_', "prd_' or 1=1"])(
    '404 for the product %j, which the store does not have',
    async (ownerId) => {
      const res = await client.put({ key: 'x', value: 'x', owner: 'product', ownerId });
      expect(res).toMatchObject(code(404, 'not_found'));
    },
  );
  test('accepts exactly 8 KiB of UTF-8, the empty text, and every key that the pattern allows', async () => {
    for (const value of ['', 'x'.repeat(8192), 'é'.repeat(4096), '😀'.repeat(2048), '\u0001\r\n"\\']) {
      expect((await client.put({ key: 'exact', value })).body.appData?.value).toBe(value);
    }
    for (const key of ['0', 'a', 'a.b_c-d', 'k'.repeat(64)]) {
      expect((await client.put({ key, value: 'x' })).status).toBe(200);
    }
  });
  test('whatever the body, the answer is a documented one', async () => {
    const fields = fc.record(
      {
        key: fc.oneof(fc.string({ unit: 'binary' }), fc.jsonValue()),
        value: fc.oneof(fc.string({ unit: 'binary' }), fc.jsonValue()),
        owner: fc.oneof(fc.constantFrom('site', 'product'), fc.jsonValue()),
        ownerId: fc.oneof(fc.string(), fc.jsonValue()),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(fields, async (body) => {
        expect([200, 400, 404]).toContain((await client.put(body)).status);
      }),
      { numRuns: 100 },
    );
  });
});

describe('500 values', () => {
  test('are the maximum, even with simultaneous writers; replacing one is always possible', async () => {
    const client = await newClient();
    await market.db
      .insertInto('app_data')
      .values(
        Array.from({ length: 490 }, (_, i) => ({
          store_id: client.storeId,
          app_id: appId,
          key: `seed-${i}`,
          owner: 'site' as const,
          owner_id: '',
          value: 'x',
        })),
      )
      .execute();
    const all = await Promise.all(
      Array.from({ length: 40 }, (_, i) => client.put({ key: `new-${i % 30}`, value: String(i) })),
    );
    const refused = all.filter(({ status }) => status !== 200);
    expect(refused.every(({ body }) => body.code === 'too_many_keys')).toBe(true);
    expect((await client.list('limit=1')).total).toBe(500);
    expect(await client.put({ key: 'one-more', value: 'x' })).toMatchObject(code(409, 'too_many_keys'));
    expect((await client.put({ key: 'seed-0', value: 'other' })).status).toBe(200);
    const ownerId = newProduct();
    const product = { key: 'seed-0', value: 'x', owner: 'product', ownerId };
    expect(await client.put(product)).toMatchObject(code(409, 'too_many_keys'));
    expect((await client.delete('seed-1')).status).toBe(204);
    expect((await client.put(product)).status).toBe(200);
  });
  test('are counted for each app and each store', async () => {
    const client = await newClient();
    const other = await newClient((await newApp()).appId, client.store);
    for (const { put } of [client, other]) expect((await put({ key: 'x', value: 'x' })).status).toBe(200);
    expect((await other.list()).total).toBe(1);
    expect((await (await newClient()).list()).total).toBe(0);
  });
  test('twenty writers of one new key make one value', async () => {
    const { put, list } = await newClient();
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, i) => put({ key: 'same', value: String(i) })),
    );
    expect(all.every(({ status }) => status === 200)).toBe(true);
    expect((await list()).total).toBe(1);
  });
});

test('whoever sets a value while others set it as well is answered with their own', async () => {
  const client = await newClient();
  for (let round = 0; round < 20; round++) {
    const key = `k${round}`;
    const values = Array.from({ length: 20 }, (_, i) => `${i % 3}`);
    const answered = await Promise.all(values.map((value) => client.put({ key, value })));
    expect(answered.map(({ body }) => body.appData.value)).toEqual(values);
  }
});

describe('GET /app-data', () => {
  test('lists by key, with filters, in pages', async () => {
    const { put, list } = await newClient();
    const [one, two] = [newProduct(), newProduct()];
    for (const [key, ownerId] of [
      ['b', null],
      ['a', two],
      ['a', null],
      ['a', one],
    ]) {
      await put({ key, value: 'x', ...(ownerId && { owner: 'product', ownerId }) });
    }
    const names = async (query = '') => {
      const { appData, total } = await list(query);
      return [appData.map((row: { key: string; ownerId: string }) => [row.key, row.ownerId]), total];
    };
    const sorted = [['a', null], ['a', one], ['a', two], ['b', null]]; // biome-ignore format: a table
    expect(await names()).toEqual([sorted, 4]);
    expect(await names('limit=2&offset=1')).toEqual([sorted.slice(1, 3), 4]);
    expect(await names('key=a')).toEqual([sorted.slice(0, 3), 3]);
    expect(await names('owner=site')).toEqual([[sorted[0], sorted[3]], 2]);
    expect(await names(`owner=product&ownerId=${two}`)).toEqual([[sorted[2]], 1]);
    expect(await names('key=%00')).toEqual([[], 0]);
    expect(await names('owner=nobody&limit=-1')).toEqual([sorted, 4]);
    expect(await names('key=&ownerId=')).toEqual([sorted, 4]);
  });
});

describe('DELETE /app-data/{key}', () => {
  test("deletes the site's value or a product's; absent ones are 404", async () => {
    const client = await newClient();
    const ownerId = newProduct();
    await client.put({ key: 'k', value: 'site' });
    await client.put({ key: 'k', value: 'product', owner: 'product', ownerId });
    const ofProduct = `k?owner=product&ownerId=${ownerId}`;
    const res = await client.delete(ofProduct);
    expect(res).toMatchObject({ status: 204, text: '' });
    expect(await client.delete(ofProduct)).toMatchObject(code(404, 'not_found'));
    expect((await client.list()).appData).toMatchObject([{ owner: 'site' }]);
    expect((await client.delete('k?owner=site')).status).toBe(204);
    for (const key of ['k', 'nothing', 'No-Key', '%00', '%F0%9F%92%A9', '..']) {
      expect((await client.delete(key)).status).toBe(404);
    }
    await eventually(() => client.changes().length === 4);
  });
  test.each([
    'owner=nobody',
    'owner=product',
    'owner=product&ownerId=x',
    'owner=',
    'ownerId=prd_00000000000000000000000000',
  ])('400 invalid_owner for ?%s', async (query) => {
    const client = await newClient();
    expect(await client.delete(`k?${query}`)).toMatchObject(code(400, 'invalid_owner'));
  });
});

describe('one value', () => {
  test('is read by its key and owner, with the ETag that its PUT has answered', async () => {
    const client = await newClient();
    const ownerId = newProduct();
    const site = await client.put({ key: 'k', value: 'site' });
    const product = await client.put({ key: 'k', value: 'product', owner: 'product', ownerId });
    for (const [rest, put] of [
      ['k', site],
      [`k?owner=product&ownerId=${ownerId}`, product],
    ] as const) {
      const read = await client.read(rest);
      expect([read.status, read.body, read.headers.etag]).toEqual([200, put.body, put.headers.etag]);
      expect(read.headers.etag).toMatch(/^"/);
    }
    expect(await client.read('nothing')).toMatchObject(code(404, 'not_found'));
    expect(await client.read('No-Key')).toMatchObject(code(404, 'not_found'));
    expect(await client.read('k?owner=nobody')).toMatchObject(code(400, 'invalid_owner'));
    expect(await (await newClient()).read('k')).toMatchObject(code(404, 'not_found'));
  });

  test('is set or deleted only by clients that know its current state', async () => {
    const client = await newClient();
    const ownerId = newProduct();
    await client.put({ key: 'k', value: 'site' });
    const { etag } = (await client.put({ key: 'k', value: '1', owner: 'product', ownerId })).headers;
    const write = (value: string) =>
      client.put({ key: 'k', value, owner: 'product', ownerId }, { 'if-match': etag });
    const written = await Promise.all(['2', '3', '4', '5'].map(write));
    expect(written.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412]);
    const rest = `k?owner=product&ownerId=${ownerId}`;
    const late = await client.delete(rest, { 'if-match': etag });
    const { headers } = await client.read(rest);
    expect([late.status, late.headers.etag]).toEqual([412, headers.etag]);
    expect((await client.delete(rest, { 'if-match': headers.etag })).status).toBe(204);
    expect(await write('6')).toMatchObject(code(404, 'not_found'));
    // Any existing state matches `*`, so nothing is created.
    const any = { 'if-match': '*' };
    const make = { key: 'k', value: '7', owner: 'product', ownerId };
    expect(await client.put(make, any)).toMatchObject(code(404, 'not_found'));
    expect((await client.put({ key: 'k', value: 'site' }, any)).status).toBe(200);
    expect((await client.list()).appData).toMatchObject([{ owner: 'site', value: 'site' }]);
  });
});

describe('who may', () => {
  test('each way wants its scope', async () => {
    const reader = await newClient(appId, market.newStore(), ['appdata.read']);
    expect((await reader.get()).status).toBe(200);
    expect(await reader.put({ key: 'x', value: 'x' })).toMatchObject(code(403, 'insufficient_scope'));
    expect(await reader.delete('x')).toMatchObject(code(403, 'insufficient_scope'));
    const writer = await newClient(appId, market.newStore(), ['appdata.write']);
    expect((await writer.put({ key: 'x', value: 'x' })).status).toBe(200);
    expect(await writer.get()).toMatchObject(code(403, 'insufficient_scope'));
  });
  test('no API key, even one that holds the scopes, whatever the body', async () => {
    const principal: Principal = {
      kind: 'apiKey',
      storeId: newId('store'),
      keyId: newId('apiKey'),
      scopes,
      creatorPermissions: scopes,
    };
    const call = market.as(principal);
    for (const res of [
      await call('get', '/api/v1/app-data'),
      await call('put', '/api/v1/app-data', { key: 7 }),
      await call('delete', '/api/v1/app-data/x'),
    ]) {
      expect(res).toMatchObject(code(403, 'insufficient_scope'));
    }
  });
});

describe('the values of a deleted product', () => {
  test('are removed for that product of that store only, with an event', async () => {
    const [client, other] = [await newClient(), await newClient()];
    const [gone, remaining] = [newProduct(), newProduct()];
    for (const { put } of [client, other]) {
      await put({ key: 'k', value: 'site' });
      for (const ownerId of [gone, remaining]) await put({ key: 'k', value: 'x', owner: 'product', ownerId });
    }
    await deleteProduct(client.storeId, gone);
    await eventually(async () => (await client.list()).total === 2);
    expect((await client.list(`ownerId=${gone}`)).total).toBe(0);
    expect((await other.list()).total).toBe(3);
    await eventually(() => client.changes().length === 4);
    expect(client.changes()[3]).toEqual({ appId, key: 'k', owner: 'product', ownerId: gone });
    const res = await client.put({ key: 'k', value: 'x', owner: 'product', ownerId: gone });
    expect(res.status).toBe(404);
  });

  test('are not restored by simultaneous writes', async () => {
    const client = await newClient();
    for (let i = 0; i < 4; i++) {
      const ownerId = newProduct();
      const writes = Array.from({ length: 8 }, (_, n) =>
        client.put({ key: `k${n}`, value: 'x', owner: 'product', ownerId }),
      );
      await deleteProduct(client.storeId, ownerId);
      await Promise.all(writes);
      await market.heardDeletionOf(client.storeId, ownerId);
      expect((await client.list(`ownerId=${ownerId}`)).total).toBe(0);
    }
  });

  test('are not restored by a write that has read the product before', async () => {
    const client = await newClient();
    const ownerId = newProduct();
    await market.publishProductDeleted(client.storeId, ownerId);
    await market.heardDeletionOf(client.storeId, ownerId);
    // Catalog still answered that the product exists.
    const res = await client.put({ key: 'k', value: 'x', owner: 'product', ownerId });
    expect(res).toMatchObject(code(404, 'not_found'));
  });
});

describe('an uninstalled app', () => {
  test('has its values again after a reinstallation', async () => {
    const client = await newClient();
    await client.put({ key: 'k', value: 'kept' });
    await client.store.delete(`/${appId}`);
    await client.store.post(`/${appId}/install`, { scopes });
    expect((await client.list()).appData).toMatchObject([{ key: 'k', value: 'kept' }]);
  });
});

describe('POST /internal/app-data/lookup', () => {
  test('returns the values of available apps, for the names that have one', async () => {
    const client = await newClient();
    const second = await newClient((await newApp()).appId, client.store);
    const foreign = await newClient();
    const ownerId = newProduct();
    await client.put({ key: 'k', value: 'site' });
    await client.put({ key: 'k', value: 'product', owner: 'product', ownerId });
    await second.put({ key: 'k', value: 'second' });
    await foreign.put({ key: 'only-there', value: 'x' });
    const name = { appId, key: 'k', owner: 'site', ownerId: null };
    const names = [
      name,
      name,
      { ...name, owner: 'product', ownerId },
      { ...name, owner: 'product', ownerId: newId('product') },
      { ...name, key: 'only-there' },
      { ...name, appId: newId('app') },
    ];
    const lookUp = async (values: unknown[]) =>
      (await market.internal('app-data/lookup', { storeId: client.storeId, values })).body.values;
    const found = await lookUp(names);
    expect(found.length).toBe(2);
    expect(found).toEqual(
      expect.arrayContaining([
        { ...name, value: 'site' },
        { ...name, owner: 'product', ownerId, value: 'product' },
      ]),
    );
    expect(await lookUp([])).toEqual([]);
    await client.store.post(`/${appId}/disable`);
    expect(await lookUp(names)).toEqual([]);
    await client.store.delete(`/${appId}/disable`);
    await market.suspend(appId);
    expect(await lookUp(names)).toEqual([]);
    await market.unsuspend(appId);
    expect((await lookUp(names)).length).toBe(2);
  });
});
