import { catalog } from '@waybill/catalog';
import { createCredential } from '@waybill/contracts';
import { gateway } from '@waybill/gateway';
import { identity } from '@waybill/identity';
import { startSystem, type TestSystem } from '@waybill/testing';
import { newKey, newPerson, newStore } from '../testing/accounts.ts';
import { type Caller, createCaller } from '../testing/client.ts';

describe('a deployment without the app platform', () => {
  let system: TestSystem;
  let key: Caller;
  beforeAll(async () => {
    system = await startSystem([gateway, identity, catalog]);
    const merchant = await newPerson(system.url);
    const { secret } = await newKey(merchant, await newStore(merchant), ['products.read', 'appdata.read']);
    key = createCaller(system.url, secret);
  });
  afterAll(() => system.stop());

  test('answers app tokens with 503 resource_unavailable and Retry-After', async () => {
    const token = createCaller(system.url, createCredential('wba'));
    for (const path of ['/api/v1/products', '/api/v1/app-data', '/api/v1/nothing']) {
      const { status, body, headers } = await token('GET', path);
      expect({ path, status, code: body.code }).toEqual({ path, status: 503, code: 'resource_unavailable' });
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
    }
  });
  test('still serves API keys, except on the app platform’s routes', async () => {
    expect((await key('GET', '/api/v1/products')).status).toBe(200);
    const { status, body } = await key('GET', '/api/v1/app-data');
    expect([status, body.code]).toEqual([503, 'resource_unavailable']);
  });
  test('has no OAuth', async () => {
    const { status, body } = await createCaller(system.url, undefined)('POST', '/oauth/token', {});
    expect([status, body.code]).toEqual([503, 'resource_unavailable']);
  });
});
