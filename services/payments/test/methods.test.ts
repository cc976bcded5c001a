import { newId, type Principal, type Role } from '@waybill/contracts';
import {
  runSql,
  type StripeEmulator,
  startStripeEmulator,
  startSystem,
  type TestSystem,
} from '@waybill/testing';
import request from 'supertest';
import { payments } from '../src/index.ts';

let stripe: StripeEmulator;
let system: TestSystem;
beforeAll(async () => {
  stripe = await startStripeEmulator();
  system = await startSystem([payments], {
    STRIPE_API_URL: stripe.url,
    PUBLIC_BASE_URL: 'https://shop.example/',
  });
});
afterAll(async () => {
  await system?.stop();
  await stripe?.close();
});

const secretKey = 'sk_test_51HxyzSecret';

/** Creates a function that calls the service for a new store as one of its members. */
function newStore(role: Role = 'admin') {
  const storeId = newId('store');
  const userId = newId('user');
  const call = async (
    method: 'get' | 'post' | 'patch' | 'delete',
    path = '',
    body?: object,
    headers: Record<string, string> = {},
    as: Role = role,
  ) => {
    const member: Principal = {
      kind: 'user',
      userId,
      email: 'a@example.com',
      storeId,
      role: as,
    };
    return request(system.internalUrl)
      [method](`/api/stores/${storeId}/payment-methods${path}`)
      .set({ ...(await system.as(member)), ...headers })
      .send(body);
  };
  const add = async (body: object) => {
    const { status, body: answer } = await call('post', '', body);
    expect([status, answer.code]).toEqual([201, undefined]);
    return answer.paymentMethod;
  };
  const choices = async (query = '') =>
    (await request(system.internalUrl).get(`/storefront/${storeId}/payment-methods${query}`)).body
      .paymentMethods;
  return { storeId, call, add, choices };
}

describe('a manual method', () => {
  test('is not offered before it is enabled, and then by position', async () => {
    const store = newStore();
    const transfer = await store.add({
      provider: 'manual',
      name: `\u3000Bank transfer${' '.repeat(200)}`,
      instructions: 'To DE02 1203.',
    });
    expect(transfer).toEqual({
      id: expect.stringMatching(/^pmm_/),
      provider: 'manual',
      name: 'Bank transfer',
      isEnabled: false,
      isTest: false,
      capture: 'automatic',
      instructions: 'To DE02 1203.',
      publishableKey: null,
      hasSecretKey: false,
      hasWebhookSecret: false,
      webhookUrl: null,
      countries: null,
      minimumCents: null,
      maximumCents: null,
      appId: null,
      position: 0,
      createdAt: expect.any(String),
      updatedAt: expect.any(String),
    });
    const cash = await store.add({ provider: 'manual', name: 'Cash', isEnabled: true, position: 0 });
    expect(await store.choices()).toEqual([
      { id: cash.id, name: 'Cash', provider: 'manual', instructions: '', isTest: false },
    ]);
    const enabled = await store.call('patch', `/${transfer.id}`, { isEnabled: true });
    expect(enabled.body.paymentMethod).toMatchObject({ isEnabled: true, position: 1 });
    const names = async () => (await store.choices()).map(({ name }: { name: string }) => name);
    expect(await names()).toEqual(['Cash', 'Bank transfer']);
    await store.call('patch', `/${cash.id}`, { position: 9 });
    expect(await names()).toEqual(['Bank transfer', 'Cash']);
    expect((await store.call('delete', `/${cash.id}`)).status).toBe(204);
    expect(await names()).toEqual(['Bank transfer']);
    expect((await store.call('get', `/${cash.id}`)).status).toBe(404);
    const list = await store.call('get');
    expect(list.body).toMatchObject({ total: 1, nextCursor: null, paymentMethods: [{ id: transfer.id }] });
  });

  test('is one of at most 100 enabled methods', async () => {
    const store = newStore();
    const names = Array.from({ length: 100 }, (_, i) => `Method ${i}`);
    for (const name of names) await store.add({ provider: 'manual', name, isEnabled: true });
    const refused = await store.call('post', '', { provider: 'manual', name: 'More', isEnabled: true });
    expect([refused.status, refused.body.code]).toEqual([409, 'too_many_payment_methods']);
    const { id } = await store.add({ provider: 'manual', name: 'More' });
    const enabled = await store.call('patch', `/${id}`, { isEnabled: true });
    expect([enabled.status, enabled.body.code]).toEqual([409, 'too_many_payment_methods']);
    expect((await store.call('patch', `/${id}`, { name: 'Other' })).status).toBe(200);
    expect(await store.choices()).toHaveLength(100);
  });

  test('is offered if country and total allow it; unknown values exclude nothing', async () => {
    const store = newStore();
    await store.add({
      provider: 'manual',
      name: 'Invoice',
      isEnabled: true,
      countries: ['DE', 'AT'],
      minimumCents: 1_000,
      maximumCents: 5_000,
    });
    const isOffered = async (query: string) => (await store.choices(query)).length === 1;
    expect(await isOffered('')).toBe(true);
    expect(await isOffered('?country=AT&totalCents=1000')).toBe(true);
    expect(await isOffered('?country=DE&totalCents=5000')).toBe(true);
    expect(await isOffered('?country=FR')).toBe(false);
    expect(await isOffered('?totalCents=999')).toBe(false);
    expect(await isOffered('?totalCents=5001')).toBe(false);
  });

  test.each([
    [{ provider: 'paypal', name: 'x' }, '/provider'],
    [{ provider: 'manual' }, '/name'],
    [{ provider: 'manual', name: ' ' }, '/name'],
    [{ provider: 'manual', name: '\u200b\u2800' }, '/name'],
    [{ provider: 'manual', name: 'x'.repeat(201) }, '/name'],
    [{ provider: 'manual', name: 'x', countries: ['Germany'] }, '/countries/0'],
    [{ provider: 'manual', name: 'x', countries: ['QX'] }, '/countries/0'],
    [{ provider: 'manual', name: 'x', minimumCents: 2, maximumCents: 1 }, '/maximumCents'],
    [{ provider: 'manual', name: 'x', secretKey }, '/secretKey'],
    [{ provider: 'manual', name: 'x', webhookSecret: 'whsec_1' }, '/webhookSecret'],
  ])('is refused where a field is wrong: %j', async (body, pointer) => {
    const { status, body: answer } = await newStore().call('post', '', body);
    expect([status, answer.code, answer.details[0].pointer]).toEqual([400, 'invalid_body', pointer]);
  });
});

describe('a method of Stripe', () => {
  const body = { provider: 'stripe', name: 'Card', secretKey };

  test('registers its address, and shows no secret', async () => {
    const store = newStore();
    const { text, body: answer } = await store.call('post', '', { ...body, publishableKey: 'pk_test_1' });
    const method = answer.paymentMethod;
    expect(method).toMatchObject({
      isTest: true,
      hasSecretKey: true,
      hasWebhookSecret: true,
      publishableKey: 'pk_test_1',
      webhookUrl: `https://shop.example/payments/${method.id}/events`,
    });
    const registered = [...stripe.webhooks.values()].find(({ url }) => url === method.webhookUrl)!;
    for (const secret of [secretKey, registered.secret]) expect(text).not.toContain(secret);
    const stored = await runSql(system, 'payments', 'select * from payment_method');
    for (const secret of [secretKey, registered.secret]) expect(JSON.stringify(stored)).not.toContain(secret);

    const live = await store.call('patch', `/${method.id}`, { secretKey: 'rk_live_other' });
    expect(live.body.paymentMethod).toMatchObject({ isTest: false, hasSecretKey: true });
    const keys = [...stripe.webhooks.values()]
      .filter(({ url }) => url === method.webhookUrl)
      .map(({ key }) => key);
    expect(keys).toEqual(['rk_live_other']);
  });

  test.each([undefined, null, '', 'pk_test_1', 'sk_test_refused'])(
    'is refused with the key %j, and nothing is saved',
    async (key) => {
      stripe.refusedKeys.add('sk_test_refused');
      const store = newStore();
      const { status, body: answer } = await store.call('post', '', { ...body, secretKey: key });
      expect([status, answer.code, answer.details[0].pointer]).toEqual([
        400,
        'invalid_credentials',
        '/secretKey',
      ]);
      expect((await store.call('get')).body.total).toBe(0);
    },
  );

  test('is saved even if Stripe refuses the address', async () => {
    stripe.rejectsLoopback = true;
    await system.restart({ PUBLIC_BASE_URL: 'http://127.0.0.1:8080' });
    const method = await newStore().add(body);
    expect(method).toMatchObject({ hasSecretKey: true, hasWebhookSecret: false });
    await system.restart({ PUBLIC_BASE_URL: 'https://shop.example/' });
    stripe.rejectsLoopback = false;
  });

  test('is not saved while Stripe is unreachable', async () => {
    await system.restart({ STRIPE_API_URL: 'http://127.0.0.1:9' });
    const store = newStore();
    const { status, body: answer } = await store.call('post', '', body);
    expect([status, answer.code]).toEqual([503, 'resource_unavailable']);
    expect((await store.call('get')).body.total).toBe(0);
    await system.restart({ STRIPE_API_URL: stripe.url });
  });
});

test('only members who manage a store see its methods', async () => {
  const store = newStore();
  const { id } = await store.add({ provider: 'manual', name: 'Cash' });
  for (const role of ['viewer', 'editor'] as const) {
    expect((await store.call('get', '', undefined, {}, role)).status).toBe(403);
    expect((await store.call('post', '', { provider: 'manual', name: 'x' }, {}, role)).status).toBe(403);
  }
  for (const method of ['get', 'patch', 'delete'] as const) {
    expect((await newStore().call(method, `/${id}`, method === 'patch' ? {} : undefined)).status).toBe(404);
  }
});

test('a write is repeated by its key, and bound to a state by If-Match', async () => {
  const store = newStore();
  const key = { 'idempotency-key': 'once' };
  const first = await store.call('post', '', { provider: 'manual', name: 'Cash' }, key);
  const again = await store.call('post', '', { provider: 'manual', name: 'Cash' }, key);
  expect([again.status, again.body]).toEqual([201, first.body]);
  expect((await store.call('get')).body.total).toBe(1);
  expect((await store.call('get', `/${first.body.paymentMethod.id}`)).headers.etag).toBe(first.headers.etag);
  const path = `/${first.body.paymentMethod.id}`;
  const match = { 'if-match': first.headers.etag! };
  expect((await store.call('patch', path, { name: 'Cash on delivery' }, match)).status).toBe(200);
  expect((await store.call('patch', path, { name: 'Coins' }, match)).status).toBe(412);
});

describe('the webhook registered with Stripe', () => {
  const card = { provider: 'stripe', name: 'Card', secretKey };
  const listRegistered = (id: string) => [...stripe.webhooks.values()].filter(({ url }) => url.includes(id));

  test('is registered once for a write repeated under its key', async () => {
    const store = newStore();
    const key = { 'idempotency-key': 'once' };
    const first = await store.call('post', '', card, key);
    const again = await store.call('post', '', card, key);
    expect(again.body).toEqual(first.body);
    expect(listRegistered(first.body.paymentMethod.id)).toHaveLength(1);
  });

  test('stays unchanged if a change has invalid limits', async () => {
    const store = newStore();
    const { id } = await store.add({ ...card, maximumCents: 500 });
    const before = stripe.requests.length;
    const refused = await store.call('patch', `/${id}`, { secretKey, minimumCents: 501 });
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid_body']);
    expect(stripe.requests).toHaveLength(before);
    expect(listRegistered(id)).toHaveLength(1);
  });

  test('is dropped with its signing secret if a new key may not register it', async () => {
    const store = newStore();
    const { id } = await store.add(card);
    const restricted = 'rk_test_51HxyzRestricted';
    stripe.restrictedKeys.add(restricted);
    const changed = await store.call('patch', `/${id}`, { secretKey: restricted });
    expect(changed.body.paymentMethod.hasWebhookSecret).toBe(false);
    expect(listRegistered(id)).toEqual([]);
    const own = await store.call('patch', `/${id}`, { secretKey: restricted, webhookSecret: 'whsec_own' });
    expect(own.body.paymentMethod.hasWebhookSecret).toBe(true);
  });
});
