import { readFile } from 'node:fs/promises';
import { permissions } from '@waybill/contracts';
import { eventually, type Receiver, startReceiver } from '@waybill/testing';
import { expectStatus, join, newKey, newPerson, newStore } from '../../testing/accounts.ts';
import { createCaller, send } from '../../testing/client.ts';
import { registerSystem } from '../../testing/operators.ts';
import { formOf, noisyPng, upload } from '../../testing/uploads.ts';
import { previousVersion, type Started, startPreviousGateway } from './previous-version.ts';
import { documentOf, heading, Site } from './site.ts';
import { type SharedSystem, topologies } from './topologies.ts';

const cluster = topologies.find(({ name }) => name === 'cluster');
const commit = cluster ? await previousVersion() : null;
const withBoth = commit ? describe : describe.skip;

/** Returns the settings with which one of a system's processes was started. */
async function settingsOf(service: string, { pids }: SharedSystem): Promise<Record<string, string>> {
  for (const pid of pids) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (!command.includes(`services/${service}/src/main.ts`)) continue;
    const lines = (await readFile(`/proc/${pid}/environ`, 'utf8')).split('\0').filter(Boolean);
    return Object.fromEntries(lines.map((line) => line.split(/=(.*)/s, 2)));
  }
  throw new Error(`no process of ${service}`);
}

withBoth('the gateway of the version before, in front of the services of this one', () => {
  let system: SharedSystem;
  let before: Started;
  let receiver: Receiver;
  beforeAll(async () => {
    [system, receiver] = await Promise.all([cluster!.share(), startReceiver()]);
    before = await startPreviousGateway(commit!, await settingsOf('gateway', system));
    registerSystem(before.url, system.dataDir);
  });
  afterAll(async () => {
    await before?.stop();
    await receiver?.close();
  });

  test('finds all of them well, and each as before in one document of the API', async () => {
    const health = await send(before.url, 'GET', '/healthz');
    expect([health.status, health.body]).toEqual([200, expect.objectContaining({ status: 'ok' })]);
    const paths = (await send(before.url, 'GET', '/openapi.json')).body.paths;
    for (const name of ['products', 'orders', 'pages', 'media', 'webhooks', 'app-data'])
      expect(Object.keys(paths).some((path) => path.startsWith(`/api/v1/${name}`))).toBe(true);
  });

  test('lets a key do all that it may, events and webhook calls included, until it is revoked at today’s door', async () => {
    const owner = await newPerson(before.url);
    const storeId = await newStore(owner);
    const { keyId, secret } = await newKey(owner, storeId, permissions);
    const call = createCaller(before.url, secret);
    const hook = { url: `${receiver.url}/${storeId}`, events: ['product.created', 'order.created'] };
    expectStatus(await call('POST', '/api/v1/webhooks', hook), 201);
    const tea = { name: 'Tea', status: 'active', variants: [{ priceCents: 250, stock: 9 }] };
    const once = { 'idempotency-key': storeId };
    const created = expectStatus(await call('POST', '/api/v1/products', tea, once), 201).body.product;
    expect((await call('POST', '/api/v1/products', tea, once)).body.product.id).toBe(created.id);
    const path = `/api/v1/products/${created.id}`;
    expectStatus(await call('PATCH', path, { name: 'Green tea' }), 200);
    expect((await call('GET', path)).body.product.name).toBe('Green tea');
    expect((await call('GET', '/api/v1/products?limit=1')).body).toMatchObject({ total: 1 });
    expect((await call('GET', '/api/v1/orders')).body).toMatchObject({ total: 0 });
    expect((await call('GET', '/api/v1/nothing')).status).toBe(404);
    expect((await upload(before.url, secret, formOf([noisyPng(8, 8)]))).status).toBe(201);

    const order = await send(before.url, 'POST', `/storefront/${storeId}/orders`, {
      headers: { 'idempotency-key': storeId },
      json: {
        items: [{ variantId: created.variants[0].id, quantity: 1 }],
        customer: { name: 'Ann', email: 'ann@example.com' },
      },
    });
    expectStatus(order, 201);
    const listReceived = () => receiver.calls.filter((each) => each.path === `/${storeId}`);
    await eventually(() => listReceived().length === 2, {
      what: 'a call about the product and one about the order',
    });

    const today = createCaller(system.baseUrl, owner.accessToken);
    expectStatus(await today('DELETE', `/api/stores/${storeId}/api-keys/${keyId}`), 204);
    expect((await call('GET', path)).status).toBe(401);
  });

  test('signs people in, and gathers search and audit of what they may see', async () => {
    const [owner, clerk] = [await newPerson(system.baseUrl), await newPerson(before.url)];
    const storeId = await newStore(owner, 'Harbour');
    const json = { email: owner.email, password: owner.password };
    const { accessToken } = expectStatus(
      await send(before.url, 'POST', '/api/auth/login', { json }),
      200,
    ).body;
    const call = createCaller(before.url, accessToken);
    expect((await call('GET', '/api/me')).body.user.email).toBe(owner.email);
    const product = { name: 'Lighthouse', variants: [] };
    const at = `/api/stores/${storeId}`;
    expectStatus(await call('POST', `${at}/products`, product), 201);
    const found = await eventually(async () => {
      const { body } = expectStatus(await call('GET', `${at}/search?q=Lighthouse`), 200);
      return JSON.stringify(body).includes('Lighthouse') && body;
    });
    expect(found).not.toHaveProperty('unavailable');
    const { entries } = expectStatus(await call('GET', `${at}/audit`), 200).body;
    expect(entries).toContainEqual(expect.objectContaining({ action: 'store.created' }));

    expect((await clerk.call('GET', `${at}/products`)).status).toBe(404);
    await join(owner, storeId, clerk, 'viewer');
    expectStatus(await clerk.call('GET', `${at}/products`), 200);
    expect((await clerk.call('POST', `${at}/products`, product)).status).toBe(403);
    expectStatus(await call('DELETE', '/api/me/sessions'), 204);
    expect((await createCaller(system.baseUrl, accessToken)('GET', '/api/me')).status).toBe(401);
  });

  test('shows a page that is edited and published through it, at the store’s own origin too', async () => {
    const site = await Site.open(before.url, 'Lantern');
    await site.live('Home', documentOf([heading('Good evening')]));
    await site.shows('/home', 'Good evening');
    const headers = { host: `${site.slug}.localhost`, 'sec-fetch-dest': 'document' };
    const own = await send(before.url, 'GET', '/home', { headers });
    expect([own.status, own.text.includes('Good evening')]).toEqual([200, true]);
    const allowed = await fetch(`${before.internalUrl}/internal/domains/allowed?domain=nobody.example`);
    expect(allowed.status).toBe(404);
  });
});
