import { type Permission, permissions } from '@waybill/contracts';
import { eventually, type Receiver, startReceiver } from '@waybill/testing';
import { expectStatus, newKey, newPerson, newStore } from '../../testing/accounts.ts';
import { type Caller, createCaller, send } from '../../testing/client.ts';
import { codeChallenge, codeVerifier } from './pkce.ts';
import type { SharedSystem } from './topologies.ts';
import { topologies } from './topologies.ts';

const redirectUri = 'https://app.example/cb';
const scopes: Permission[] = [
  'products.read',
  'products.write',
  'integrations.read',
  'integrations.write',
  'webhooks.read',
  'webhooks.write',
  'pages.read',
  'pages.write',
  'blog.read',
  'blog.write',
];

describe.each(topologies)('custom fields of $name', ({ share, inOneTopology }) => {
  let system: SharedSystem;
  let receiver: Receiver;
  beforeAll(async () => {
    [system, receiver] = await Promise.all([share(), startReceiver()]);
  });
  afterAll(() => receiver.close());

  async function openStore() {
    const owner = await newPerson(system.baseUrl);
    const storeId = await newStore(owner);
    const { secret } = await newKey(owner, storeId, permissions);
    const key = createCaller(system.baseUrl, secret);
    const define = async (entity: string, name: string, change: object = {}) =>
      expectStatus(
        await key('POST', '/api/v1/custom-fields', { entity, key: name, name, type: 'text', ...change }),
        201,
      ).body.customField;
    return { owner, storeId, key, define };
  }

  /**
   * Creates one item of each kind with custom field values. Returns how each is created or changed, and how it is read.
   */
  async function itemsOf(key: Caller, storeId: string) {
    const variants = [{ sku: 'A', priceCents: 100, stock: 5 }];
    const postCreated = async (path: string, json: object) =>
      expectStatus(await key('POST', `/api/v1/${path}`, json), 201).body;
    const { product } = await postCreated('products', { name: 'Tea', status: 'active', variants });
    const placed = await send(system.baseUrl, 'POST', `/storefront/${storeId}/orders`, {
      headers: { 'idempotency-key': 'one' },
      json: {
        items: [{ variantId: product.variants[0].id, quantity: 1 }],
        customer: { name: 'Bob', email: 'bob@example.com' },
      },
    });
    const { order } = expectStatus(placed, 201).body;
    const { category } = await postCreated('categories', { name: 'Teas' });
    const { page } = await postCreated('pages', { name: 'About' });
    const { article } = await postCreated('articles', { title: 'News' });
    const at = (path: string) => `/api/v1/${path}`;
    return {
      product: ['PATCH', at(`products/${product.id}`), 'product', {}],
      variant: ['PATCH', at(`products/${product.id}/variants/${product.variants[0].id}`), 'product', {}],
      category: ['PATCH', at(`categories/${category.id}`), 'category', {}],
      customer: ['PUT', at(`customers/${order.customerId}`), 'customer', { email: 'bob@example.com' }],
      order: ['PUT', at(`orders/${order.id}/custom-fields`), 'order', {}],
      page: ['PATCH', at(`pages/${page.id}`), 'page', {}],
      article: ['PUT', at(`articles/${article.id}`), 'article', { title: 'News' }],
    } as const;
  }

  test('of every entity can be written once they are defined, and disappear once they are deleted', async () => {
    const { storeId, key, define } = await openStore();
    const items = await itemsOf(key, storeId);
    for (const [entity, [method, path, envelope, rest]] of Object.entries(items)) {
      const field = await define(entity, 'note');
      const write = (customFields: object) => key(method, path, { ...rest, customFields });
      const valuesIn = (
        body: Record<string, { customFields: object; variants?: { customFields: object }[] }>,
      ) => (entity === 'variant' ? body[envelope]!.variants![0]!.customFields : body[envelope]!.customFields);
      const written = expectStatus(await write({ note: 'Fragile' }), 200);
      expect([entity, valuesIn(written.body)]).toEqual([entity, { note: 'Fragile' }]);
      const item = path.replace(/\/(?:custom-fields|variants\/\w+)$/, '');
      expect([entity, valuesIn((await key('GET', item)).body)]).toEqual([entity, { note: 'Fragile' }]);
      const wrong = await write({ note: 7, nowhere: 'x' });
      expect([entity, wrong.status, wrong.body.code]).toEqual([entity, 400, 'invalid_custom_field']);
      expect(wrong.body.details.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
        '/customFields/note',
        '/customFields/nowhere',
      ]);
      expect(valuesIn(expectStatus(await write({}), 200).body)).toEqual({ note: 'Fragile' });
      expectStatus(await key('DELETE', `/api/v1/custom-fields/${field.id}`), 204);
      expect([entity, valuesIn((await key('GET', item)).body)]).toEqual([entity, {}]);
      const again = await write({ note: 'x' });
      expect([entity, again.status]).toEqual([entity, 400]);
    }
  });

  inOneTopology('of rich text report what was removed from them, on every create and change', async () => {
    const { storeId, key, define } = await openStore();
    const items = await itemsOf(key, storeId);
    const customFields = { story: '<p onclick="x()">Old<script>1</script></p>' };
    const removed = [{ code: 'script_removed', message: expect.any(String), count: 2 }];
    for (const entity of Object.keys(items)) await define(entity, 'story', { type: 'richText' });
    for (const [entity, [method, path, , rest]] of Object.entries(items)) {
      const { body } = expectStatus(await key(method, path, { ...rest, customFields }), 200);
      expect([entity, body.warnings]).toEqual([entity, removed]);
      const clean = await key(method, path, { ...rest, customFields: { story: '<p>Old</p>' } });
      expect([entity, expectStatus(clean, 200).body.warnings]).toEqual([entity, undefined]);
    }
    for (const [path, json] of [
      ['products', { name: 'Tin' }],
      ['categories', { name: 'Tins' }],
      ['customers', { email: 'tin@example.com' }],
      ['pages', { name: 'Tins' }],
      ['articles', { title: 'Tins' }],
    ] as const) {
      const created = expectStatus(await key('POST', `/api/v1/${path}`, { ...json, customFields }), 201);
      expect([path, created.body.warnings]).toEqual([path, removed]);
    }
    const variants = [{ sku: 'B', priceCents: 1, customFields }];
    const both = { name: 'Tin', description: '<script>1</script>', variants };
    const { warnings } = expectStatus(await key('POST', '/api/v1/products', both), 201).body;
    expect(warnings).toEqual([{ ...removed[0], count: 3 }]);
  });

  test('that are private reach no app by reads or calls until they are public', async () => {
    const { owner, storeId, key, define } = await openStore();
    const secret = await define('product', 'secret');
    await define('product', 'shown', { visibility: 'public' });
    const { app, caller } = await installApp(owner.call, storeId);
    const own = `${app.id}/rating`;
    expectStatus(
      await caller('POST', '/api/v1/custom-fields', {
        entity: 'product',
        key: 'rating',
        name: 'Rating',
        type: 'integer',
      }),
      201,
    );
    expect((await caller('GET', '/api/v1/custom-fields')).body.total).toBe(1);
    expect((await caller('GET', `/api/v1/custom-fields/${secret.id}`)).status).toBe(404);
    const hook = await caller('POST', '/api/v1/webhooks', {
      url: receiver.url,
      events: ['product.created', 'product.updated'],
    });
    expectStatus(hook, 201);
    const customFields = { secret: 'a', shown: 'b', [own]: 5 };
    const created = await key('POST', '/api/v1/products', { name: `Tea of ${app.id}`, customFields });
    const { product } = expectStatus(created, 201).body;
    expect(product.customFields).toEqual(customFields);
    const seen = { shown: 'b', [own]: 5 };
    const path = `/api/v1/products/${product.id}`;
    expect((await caller('GET', path)).body.product.customFields).toEqual(seen);
    const callsFor = () =>
      receiver.calls
        .map(({ body }) => JSON.parse(String(body)))
        .filter(({ data }) => data?.product?.id === product.id)
        .map(({ data }) => data.product.customFields);
    await eventually(() => callsFor().length === 1);
    expect(callsFor()).toEqual([seen]);
    const logged = (await caller('GET', '/api/v1/events?type=product.created')).body.events.find(
      ({ data }: { data: { product: { id: string } } }) => data.product.id === product.id,
    );
    expect(logged.data.product.customFields).toEqual(seen);
    expectStatus(await key('PATCH', `/api/v1/custom-fields/${secret.id}`, { visibility: 'public' }), 200);
    expectStatus(await key('PATCH', path, { tags: ['new'] }), 200);
    expect((await caller('GET', path)).body.product.customFields).toEqual(customFields);
    await eventually(() => callsFor().length === 2);
    expect(callsFor()[1]).toEqual(customFields);
    expectStatus(await owner.call('DELETE', `/api/stores/${storeId}/apps/${app.id}`), 204);
    await eventually(async () => !Object.hasOwn((await key('GET', path)).body.product.customFields, own));
  });

  inOneTopology('that are private reach no app by publishing, nor by rules of categories', async () => {
    const { owner, storeId, key, define } = await openStore();
    await define('page', 'secret');
    await define('article', 'secret');
    await define('product', 'secret');
    await define('product', 'shown', { visibility: 'public' });
    const { caller } = await installApp(owner.call, storeId);
    const customFields = { secret: 'hush' };
    const { page } = expectStatus(
      await key('POST', '/api/v1/pages', { name: 'About', customFields }),
      201,
    ).body;
    const document = { rootId: 'r', nodes: [{ id: 'r', type: 'section', children: [] }] };
    const stores = `/api/stores/${storeId}`;
    expectStatus(await owner.call('PUT', `${stores}/pages/${page.id}/draft`, { document }), 200);
    for (const act of ['publish', 'unpublish']) {
      const { body } = expectStatus(await caller('POST', `/api/v1/pages/${page.id}/${act}`), 200);
      expect([act, body.page.customFields]).toEqual([act, {}]);
    }
    const created = await key('POST', '/api/v1/articles', { title: 'News', customFields });
    const { article } = expectStatus(created, 201).body;
    const articlePath = `${stores}/articles/${article.id}`;
    expectStatus(await owner.call('PUT', `${articlePath}/document`, { document }), 200);
    const published = await caller('POST', `/api/v1/articles/${article.id}/publish`);
    expect(expectStatus(published, 200).body.article.customFields).toEqual({});

    const ruled = (field: string) => ({
      name: 'Oracle',
      kind: 'rule',
      rule: {
        match: 'all',
        conditions: [{ field: `customField.${field}`, op: 'startsWith', value: 'hush' }],
      },
    });
    const refused = await caller('POST', '/api/v1/categories', ruled('secret'));
    expect([refused.status, refused.body.details?.[0]?.pointer]).toEqual([400, '/rule/conditions/0/field']);
    const unknown = await caller('POST', '/api/v1/categories', ruled('nowhere'));
    expect(refused.body.details).toEqual(unknown.body.details);
    expectStatus(await caller('POST', '/api/v1/categories', ruled('shown')), 201);
    // A condition that a merchant wrote stays, and no such condition can be added.
    const { category } = expectStatus(await key('POST', '/api/v1/categories', ruled('secret')), 201).body;
    const own = category.rule.conditions[0];
    const patch = (conditions: object[]) =>
      caller('PATCH', `/api/v1/categories/${category.id}`, { rule: { match: 'all', conditions } });
    expectStatus(await patch([own, { field: 'tag', op: 'is', value: 'new' }]), 200);
    expect((await patch([{ ...own, value: 'hush-4' }])).status).toBe(400);
  });

  async function installApp(call: Caller, storeId: string) {
    const { email, password } = system.demo.reviewer;
    const login = await createCaller(system.baseUrl, undefined)('POST', '/api/auth/login', {
      email,
      password,
    });
    const reviewer = createCaller(system.baseUrl, expectStatus(login, 200).body.accessToken);
    const { org } = expectStatus(await call('POST', '/api/orgs', { name: 'Fields' }), 201).body;
    const created = await call('POST', `/api/orgs/${org.id}/apps`, {
      name: 'Ratings',
      redirectUris: [redirectUri],
    });
    const { app, clientSecret } = expectStatus(created, 201).body;
    const versions = `/api/orgs/${org.id}/apps/${app.id}/versions`;
    const { version } = expectStatus(await call('POST', versions, { scopes }), 201).body;
    expectStatus(await call('POST', `${versions}/${version.id}/submit`, {}), 200);
    expectStatus(await reviewer('POST', `/api/review/versions/${version.id}/approve`, {}), 200);
    const install = { scopes, redirectUri, state: 'x', codeChallenge };
    const installed = await call('POST', `/api/stores/${storeId}/apps/${app.id}/install`, install);
    const token = await send(system.baseUrl, 'POST', '/oauth/token', {
      json: {
        grant_type: 'authorization_code',
        redirect_uri: redirectUri,
        code: new URL(expectStatus(installed, 201).body.redirectTo).searchParams.get('code'),
        code_verifier: codeVerifier,
        client_id: app.id,
        client_secret: clientSecret,
      },
    });
    return { app, caller: createCaller(system.baseUrl, expectStatus(token, 200).body.access_token) };
  }
});
