import { setTimeout as sleep } from 'node:timers/promises';
import { newId, type Permission, type Principal } from '@waybill/contracts';
import { countWaitingTransactions, createStubService, startSystem, type TestSystem } from '@waybill/testing';
import request from 'supertest';
import { catalog } from '../src/index.ts';

/** Numbers of the catalog's waiting transactions during calls to media. */
const waited: number[] = [];

/** A media service that knows every asset and answers after a delay. */
const media = createStubService('media', {
  async 'POST /internal/assets/lookup'({ body }: { body: { ids: string[] } }) {
    await sleep(150);
    waited.push(await countWaitingTransactions(system, 'catalog'));
    return { assets: body.ids.map((id) => ({ id })) };
  },
});

let system: TestSystem;
beforeAll(async () => {
  system = await startSystem([catalog, media]);
});
afterAll(() => system.stop());

test('no transaction waits for media’s answer, even with conditions', async () => {
  const storeId = newId('store');
  const scopes: Permission[] = ['products.read', 'products.write'];
  const principal: Principal = {
    kind: 'apiKey',
    storeId,
    keyId: newId('apiKey'),
    scopes,
    creatorPermissions: scopes,
  };
  const send = async (method: 'post' | 'put' | 'patch', path: string, headers: Record<string, string>) =>
    request(system.internalUrl)
      [method](`/api/v1/products${path}`)
      .set({ ...(await system.as(principal)), ...headers })
      .send({ name: `Tea, ${method}`, mediaIds: [newId('mediaAsset')] });
  const created = await send('post', '', { 'idempotency-key': 'made' });
  expect(created.status).toBe(201);
  const path = `/${created.body.product.id}`;
  let etag: string = created.headers.etag!;
  for (const method of ['put', 'patch'] as const) {
    const keyed = await send(method, path, { 'idempotency-key': method, 'if-match': etag });
    expect(keyed.status).toBe(200);
    const bound = await send(method, path, { 'if-match': keyed.headers.etag! });
    expect(bound.status).toBe(200);
    etag = bound.headers.etag!;
    expect((await send(method, path, { 'if-match': keyed.headers.etag! })).status).toBe(412);
  }
  expect(new Set(waited)).toEqual(new Set([0]));
});
