import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@waybill/testing';
import { type StartedSystem, topologies } from './e2e/topologies.ts';

describe('the shop of a first start', () => {
  let system: StartedSystem;
  beforeAll(async () => {
    system = await topologies[0]!.start({ WAYBILL_DEMO: 'full' });
  });
  afterAll(() => system?.stop());

  const call = async (path: string, token = system.demo.apiKey) => {
    const reply = await fetch(system.baseUrl + path, { headers: { authorization: `Bearer ${token}` } });
    expect([path, reply.status]).toEqual([path, 200]);
    // biome-ignore lint/suspicious/noExplicitAny: the test checks the content of the answers
    return (await reply.json()) as any;
  };
  const total = async (what: string) => (await call(`/api/v1/${what}?limit=1`)).total;
  const signIn = async (account: object) => {
    const body = JSON.stringify(account);
    const headers = { 'content-type': 'application/json' };
    const reply = await fetch(`${system.baseUrl}/api/auth/login`, { method: 'POST', headers, body });
    return ((await reply.json()) as { accessToken: string }).accessToken;
  };
  const isMaking = () => existsSync(join(system.dataDir, 'demo-shop.json'));
  const see = async (path: string) => (await fetch(`${system.baseUrl}/s/demo${path}`)).text();

  test('is complete and without duplicates after kills among the products and at the app’s install', async () => {
    // The key and the accounts work at once.
    expect((await call('/api/v1/store')).store.slug).toBe('demo');
    await eventually(async () => (await total('products')) >= 3, { what: 'the first products' });
    expect(isMaking()).toBe(true);
    await system.kill('SIGKILL');
    await system.restart();
    const owner = await signIn(system.demo.merchant);
    const installs = `/api/stores/${system.demo.storeId}/apps`;
    await eventually(async () => (await call(installs, owner)).total === 1, {
      what: "the app's install",
      withinMs: 120_000,
    });
    await system.kill('SIGKILL');
    await system.restart();
    await eventually(() => !isMaking(), { what: 'the whole shop', withinMs: 120_000 });

    expect(await total('products')).toBe(24);
    const { products } = await call('/api/v1/products?limit=100');
    expect(new Set(products.map(({ name }: { name: string }) => name)).size).toBe(24);
    expect(products.every(({ mediaIds }: { mediaIds: string[] }) => mediaIds.length === 2)).toBe(true);
    expect(await total('pages')).toBe(3);
    const { articles } = await call('/api/v1/articles?limit=10');
    expect(
      articles.map(({ status, bodyType }: { status: string; bodyType: string }) => [status, bodyType]),
    ).toEqual(Array.from({ length: 3 }, () => ['published', 'page']));

    const { orders } = await call('/api/v1/orders?limit=100&sort=created');
    const count = await total('orders');
    expect(count).toBeGreaterThan(150);
    const ages = orders.map(({ createdAt }: { createdAt: string }) => Date.now() - Date.parse(createdAt));
    expect(Math.max(...ages)).toBeLessThan(91 * 86_400_000);
    // None waits for a payment, because such orders expire.
    expect((await call('/api/v1/orders?limit=1&payment=pending')).total).toBe(0);
    expect(await total('customers')).toBeGreaterThan(30);
    // Their customers get no mail; the only mails tell the app's developer about the review.
    const mails = await readdir(join(system.dataDir, 'mail'));
    expect(mails.filter((name) => !name.endsWith('-developer@example.com.eml'))).toEqual([]);

    const home = await see('/');
    expect(home).toContain('Tea that takes its time');
    expect(home).toMatch(/30 reviews/);
    expect(await see('/de/')).toContain('Tee, der sich Zeit lässt');
    expect(await total('categories')).toBe(6);
    const category = await see('/categories/tea');
    expect(category).toContain('filter[option.Weight]');
    expect(category).toContain('../categories/black-tea');
    expect(await see('/de/categories/black-tea')).toContain('Schwarzer Tee');
    expect(await see('/de/products/mountain-oolong')).toContain('Berg-Oolong');
    expect(await see('/de/blog/a-visit-to-the-garden')).toContain('Ein Besuch im Garten');

    const reviewer = await signIn(system.demo.reviewer);
    const { versions } = await call('/api/review/versions?state=submitted', reviewer);
    expect(versions).toHaveLength(1);
    const merchant = await signIn(system.demo.merchant);
    const { apiKeys } = await call(`/api/stores/${system.demo.storeId}/api-keys`, merchant);
    const names = apiKeys.flatMap(({ name, revokedAt }: { name: string; revokedAt: string | null }) =>
      revokedAt === null ? [name] : [],
    );
    expect(names).toEqual(['Demo key']);
  });

  test('is created once: another start changes nothing, and cannot import past orders', async () => {
    const count = await total('orders');
    await system.restart();
    expect(isMaking()).toBe(false);
    expect(await total('orders')).toBe(count);
    const secrets = JSON.parse(await readFile(join(system.dataDir, 'secrets.json'), 'utf8'));
    const token = String(secrets['serviceToken.operator']).split(':').at(-1)!;
    const { orders } = await call('/api/v1/orders?limit=1');
    const [{ lineItems, customer, createdAt }] = orders;
    const { phone: _, shippingAddress, ...person } = customer;
    const states = { status: 'completed', payment: 'paid', fulfillment: 'fulfilled', currency: 'EUR' };
    const order = { ...states, createdAt, lineItems, customer: { ...person, shippingAddress } };
    const reply = await fetch(`${system.internalUrl}/internal/demo/orders`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ storeId: system.demo.storeId, orders: [order] }),
    });
    expect(reply.status).toBe(404);
    expect(await total('orders')).toBe(count);
  });
});
