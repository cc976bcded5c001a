import { newId, type Principal } from '@waybill/contracts';
import { silenceNameServers, startSystem, type TestSystem } from '@waybill/testing';
import request from 'supertest';
import { webhooks } from '../src/index.ts';

let system: TestSystem;
beforeAll(async () => {
  system = await startSystem([webhooks]);
});
afterAll(() => system.stop());

async function newStore() {
  const storeId = newId('store');
  const scopes = ['webhooks.read', 'webhooks.write'] as const;
  const principal: Principal = {
    kind: 'apiKey',
    storeId,
    keyId: newId('apiKey'),
    scopes: [...scopes],
    creatorPermissions: [...scopes],
  };
  const headers = await system.as(principal);
  return (method: 'get' | 'post' | 'put', path = '') =>
    request(system.internalUrl)[method](`/api/v1/webhooks${path}`).set(headers);
}

/** More requests than the service has connections. */
const many = Array.from({ length: 20 }, (_, i) => i);
const webhook = { url: 'https://shop.example/', events: ['product.created'] };

test.each([
  ['creates', 'post'],
  ['replaces', 'put'],
] as const)(
  'a store that %s webhooks, with keys, whose name server is silent takes no connection',
  async (_, method) => {
    const [own, other] = [await newStore(), await newStore()];
    const created = await own('post').send({ ...webhook, url: 'https://1.1.1.1/' });
    const path = method === 'put' ? `/${created.body.webhook.id}` : '';
    const silence = silenceNameServers();
    const ends: string[] = [];
    const writes = many.map(async (i) => {
      const { status } = await own(method, path).set('idempotency-key', `key-${i}`).send(webhook);
      ends.push('write');
      return status;
    });
    await silence.queried;
    const read = await other('get');
    ends.push('read');
    const statuses = await Promise.all(writes);
    silence.end();
    expect([read.status, ends[0]]).toEqual([200, 'read']);
    expect(new Set(statuses)).toEqual(new Set([method === 'put' ? 200 : 201]));
  },
);
