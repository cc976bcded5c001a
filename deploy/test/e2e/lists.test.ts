import { permissions, rolePermissions } from '@waybill/contracts';
import { eventually, type Receiver, startReceiver } from '@waybill/testing';
import { expectStatus, join, joinOrg, newKey, newPerson, newStore, verify } from '../../testing/accounts.ts';
import { type Caller, createCaller, send } from '../../testing/client.ts';
import { formOf, jpegOf, upload } from '../../testing/uploads.ts';
import { codeChallenge, codeVerifier } from './pkce.ts';
import { oneTopology, type SharedSystem, topologies } from './topologies.ts';

interface Operation {
  parameters?: { name: string; schema: { enum?: string[] } }[];
  responses: Record<string, { content?: Record<string, { schema: { properties?: object } }> }>;
}

/** A list of the API document, with the queries to test. */
interface List {
  path: string;
  /** Each begins with `?`. */
  queries: string[];
  hasOffset?: boolean;
}

const document = (words: string) => ({
  rootId: 'page',
  nodes: [
    { id: 'page', type: 'container', children: ['t'] },
    { id: 't', type: 'text', children: [], props: { specials: { text: words } } },
  ],
});

describe.each(oneTopology)('$name', ({ share }) => {
  let system: SharedSystem;
  let receiver: Receiver;
  let lists: List[];
  let ids: Record<string, string>;
  let categoryId: string;
  let discountId: string;
  let orderId: string;
  let callers: Record<'key' | 'app' | 'owner' | 'reviewer', Caller>;
  beforeAll(async () => {
    [system, receiver] = await Promise.all([share(), startReceiver()]);
    const { paths } = (await send(system.baseUrl, 'GET', '/openapi.json')).body;
    lists = Object.entries<Record<string, Operation>>(paths).flatMap(([path, { get }]) =>
      // Lists for strangers take neither fields nor words; they have their own suite.
      get && isWalked(get) && !path.startsWith('/storefront/')
        ? [{ path, queries: queriesOf(get), hasOffset: hasOffset(get) }]
        : [],
    );
    await fill();
  });
  afterAll(() => receiver.close());

  function isWalked({ responses }: Operation): boolean {
    const answer = responses[200]?.content?.['application/json']?.schema.properties ?? {};
    return 'total' in answer && 'nextCursor' in answer;
  }

  /** Deliveries, replays and installations never had an offset. */
  const hasOffset = ({ parameters = [] }: Operation) => parameters.some(({ name }) => name === 'offset');

  function queriesOf({ parameters = [] }: Operation): string[] {
    const valuesOf = (name: string) => parameters.find((each) => each.name === name)?.schema.enum;
    const dirs = valuesOf('dir') ?? ['asc'];
    return valuesOf('sort')?.flatMap((sort) => dirs.map((dir) => `?sort=${sort}&dir=${dir}`)) ?? ['?'];
  }

  /** Fills every list, with some values that are equal and others that are missing. */
  async function fill(): Promise<void> {
    const signIn = async (account: { email: string; password: string }) => {
      const { email, password } = account;
      const login = await createCaller(system.baseUrl, undefined)('POST', '/api/auth/login', {
        email,
        password,
      });
      return createCaller(system.baseUrl, expectStatus(login, 200).body.accessToken);
    };
    const owner = await newPerson(system.baseUrl);
    const storeId = await newStore(owner);
    const { secret } = await newKey(owner, storeId, rolePermissions.owner);
    const key = createCaller(system.baseUrl, secret);
    const reviewer = await signIn(system.demo.reviewer);
    const postCreated = async (caller: Caller, path: string, json: object, status = 201) =>
      expectStatus(await caller('POST', path, json), status).body;
    const four = async <Result>(make: (n: number) => Promise<Result>): Promise<Result[]> => {
      const results: Result[] = [];
      for (let n = 0; n < 4; n++) results.push(await make(n));
      return results;
    };

    const webhooks = await four(() =>
      postCreated(key, '/api/v1/webhooks', { url: receiver.url, events: ['product.created'] }),
    );
    const webhookId = webhooks[0].webhook.id;
    const products = await four((n) =>
      postCreated(key, '/api/v1/products', {
        name: 'Tea',
        slug: `tea-${n}`,
        status: n % 2 ? 'draft' : 'active',
        variants: n < 2 ? [] : [{ priceCents: 100, stock: 100 }],
      }),
    );
    const categories = await four(() => postCreated(key, '/api/v1/categories', { name: 'Tea', position: 0 }));
    categoryId = categories[0].category.id;
    await four((n) =>
      postCreated(key, '/api/v1/custom-fields', {
        entity: 'product',
        key: `field_${n}`,
        name: 'Field',
        type: 'text',
      }),
    );
    const productIds = products.map(({ product }) => product.id);
    expectStatus(await key('PUT', `/api/v1/categories/${categoryId}/products`, { productIds }), 200);
    const discounts = await four((n) =>
      postCreated(key, '/api/v1/discounts', { title: 'Sale', code: `SALE-${n}`, kind: 'freeShipping' }),
    );
    discountId = discounts[0].discount.id;
    await postCreated(key, `/api/v1/discounts/${discountId}/codes`, { count: 4 });
    await four(async (n) => {
      const items = [{ variantId: products[2].product.variants[0].id, quantity: 4 }];
      const json = { items, customer: { name: 'Bob', email: `bob-${n}@example.com` } };
      const headers = { 'idempotency-key': `order-${n}` };
      const path = `/storefront/${storeId}/orders`;
      const { order } = expectStatus(await send(system.baseUrl, 'POST', path, { headers, json }), 201).body;
      orderId = order.id;
    });
    await four(() => postCreated(key, `/api/v1/orders/${orderId}/payments`, { amountCents: 1 }));
    await four(() => postCreated(key, `/api/v1/orders/${orderId}/refunds`, { amountCents: 1 }));
    await four((n) =>
      postCreated(owner.call, `/api/stores/${storeId}/orders/${orderId}/notes`, { text: `${n}` }),
    );
    await four(async () => {
      const lines = [{ variantId: products[2].product.variants[0].id, quantity: 1 }];
      await postCreated(key, `/api/v1/orders/${orderId}/returns`, { lines });
      return postCreated(key, `/api/v1/orders/${orderId}/fulfillments`, { lines });
    });
    await four(() => postCreated(key, `/api/v1/orders/${orderId}/documents`, { kind: 'packingSlip' }));
    await four((n) =>
      postCreated(key, '/api/v1/blog-categories', { name: 'A', slug: `a-${n}`, position: 0 }),
    );
    const articles = await four((n) =>
      postCreated(key, '/api/v1/articles', { title: 'News', status: n % 2 ? 'draft' : 'published' }),
    );
    await four((n) => upload(system.baseUrl, secret, formOf(jpegOf(2_000), `${n}.jpg`)));
    const editor = `/api/stores/${storeId}`;
    const pages = await four(() => postCreated(key, '/api/v1/pages', { name: 'About', position: 0 }));
    const sections = await four((n) =>
      postCreated(owner.call, `${editor}/sections`, { name: 'A', document: document(`${n}`) }),
    );
    const pageId = pages[0].page.id;
    await four(async (n) => {
      const draft = { document: document(`Draft ${n}`) };
      expectStatus(await owner.call('PUT', `${editor}/pages/${pageId}/draft`, draft), 200);
      await postCreated(key, `/api/v1/pages/${pageId}/publish`, {}, 200);
    });
    const form = {
      rootId: 'form',
      nodes: [
        { id: 'form', type: 'form', children: ['f'] },
        { id: 'f', type: 'field', children: [] },
      ],
    };
    expectStatus(await owner.call('PUT', `${editor}/pages/${pageId}/draft`, { document: form }), 200);
    const { page } = await postCreated(key, `/api/v1/pages/${pageId}/publish`, {}, 200);
    const html = await send(system.baseUrl, 'GET', new URL(page.url, system.baseUrl).pathname);
    const action = / action="(\/storefront[^"]*)"/.exec(html.text)![1]!;
    await four(async (n) =>
      expectStatus(await send(system.baseUrl, 'POST', action, { json: { field: `${n}` } }), 201),
    );
    await four((n) =>
      postCreated(owner.call, `${editor}/payment-methods`, { provider: 'manual', name: `Method ${n}` }),
    );
    await four((n) =>
      postCreated(owner.call, `${editor}/domains`, { hostname: `${n}.${storeId.slice(4)}.example.com` }),
    );
    const branches = await four(async (n) => {
      if (n > 0) await newKey(owner, storeId, ['products.read']);
      await join(owner, storeId, await newPerson(system.baseUrl), 'editor');
      return newStore(owner, `Store ${n}`);
    });

    const orgs = await four((n) => postCreated(owner.call, '/api/orgs', { name: `Org ${n}` }));
    const org = `/api/orgs/${orgs[0].org.id}`;
    await four(async () => joinOrg(owner, orgs[0].org.id, await newPerson(system.baseUrl), 'developer'));
    await four((n) => postCreated(owner.call, `${org}/stores`, { name: `Bench ${n}` }));
    await verify(owner);
    await four(async (n) => {
      const email = `guest-${n}-${org.slice(-12)}@example.com`;
      await postCreated(owner.call, `${org}/invitations`, { email, role: 'developer' });
      await postCreated(owner.call, `${editor}/invitations`, { email, role: 'viewer' });
    });
    const redirectUri = 'https://app.example/cb';
    const scopes = permissions.filter((permission) => permission.startsWith('appdata.'));
    const apps = await four(async (n) => {
      const app = await postCreated(owner.call, `${org}/apps`, {
        name: `App ${n}`,
        redirectUris: [redirectUri],
      });
      const path = `${org}/apps/${app.app.id}/versions`;
      const { version } = await postCreated(owner.call, path, { scopes });
      await postCreated(owner.call, `${path}/${version.id}/submit`, {}, 200);
      await postCreated(reviewer, `/api/review/versions/${version.id}/approve`, {}, 200);
      const install = { scopes, redirectUri, state: 'x', codeChallenge };
      const installed = await postCreated(owner.call, `${editor}/apps/${app.app.id}/install`, install);
      return { ...app, redirectTo: installed.redirectTo as string };
    });
    const [{ app, clientSecret, redirectTo }] = apps as [(typeof apps)[number]];
    expectStatus(await owner.call('PATCH', `${org}/apps/${app.id}`, { webhookUrl: receiver.url }), 200);
    await postCreated(owner.call, `${org}/apps/${app.id}/webhook-secret`, {}, 200);
    await four((n) =>
      postCreated(owner.call, `/api/stores/${branches[n]}/apps/${app.id}/install`, { scopes }),
    );
    await eventually(async () => {
      const { body } = await owner.call('GET', `${org}/apps/${app.id}/deliveries`);
      return body.total === 4;
    });
    await four(async () => {
      const path = `${org}/apps/${app.id}/versions`;
      const { version } = await postCreated(owner.call, path, { scopes });
      await postCreated(owner.call, `${path}/${version.id}/submit`, {}, 200);
      await postCreated(reviewer, `/api/review/versions/${version.id}/approve`, {}, 200);
    });
    // Nobody installs these, so their places in the directory stay.
    await four(async (n) => {
      const listed = await postCreated(owner.call, `${org}/apps`, { name: `Listed ${n}` });
      const path = `${org}/apps/${listed.app.id}`;
      expectStatus(await owner.call('PATCH', path, { isListed: true }), 200);
      const { version } = await postCreated(owner.call, `${path}/versions`, { scopes });
      await postCreated(owner.call, `${path}/versions/${version.id}/submit`, {}, 200);
      await postCreated(reviewer, `/api/review/versions/${version.id}/approve`, {}, 200);
    });
    const token = await send(system.baseUrl, 'POST', '/oauth/token', {
      json: {
        grant_type: 'authorization_code',
        redirect_uri: redirectUri,
        code: new URL(redirectTo).searchParams.get('code'),
        code_verifier: codeVerifier,
        client_id: app.id,
        client_secret: clientSecret,
      },
    });
    const installed = createCaller(system.baseUrl, expectStatus(token, 200).body.access_token);
    await four(async (n) => {
      const owned = n < 2 ? {} : { owner: 'product', ownerId: products[n].product.id };
      const json = { key: `k${n % 2}`, value: 'x', ...owned };
      expectStatus(await installed('PUT', '/api/v1/app-data', json), 200);
    });
    await eventually(async () => {
      const { body } = await key('GET', `/api/v1/webhooks/${webhookId}/deliveries`);
      return body.deliveries.filter(({ status }: { status: string }) => status === 'delivered').length === 4;
    });
    await four(() =>
      postCreated(
        key,
        `/api/v1/webhooks/${webhookId}/replay`,
        { since: new Date().toISOString(), statuses: ['dead'] },
        202,
      ),
    );
    ids = {
      storeId,
      orgId: orgs[0].org.id,
      appId: app.id,
      id: webhookId,
      pageId,
      sectionId: sections[0].section.id,
      articleId: articles[0].article.id,
      kind: 'product',
    };
    callers = { key, app: installed, owner: owner.call, reviewer };
  }

  const filled = ({ path }: List) =>
    path
      .replace('categories/{id}', `categories/${categoryId}`)
      .replace('discounts/{id}', `discounts/${discountId}`)
      .replace(/orders\/\{(?:id|orderId)\}/, `orders/${orderId}`)
      .replaceAll(/\{(\w+)\}/g, (_, name) => ids[name]!);

  function callerFor({ path }: List): Caller {
    if (path === '/api/v1/app-data') return callers.app;
    if (path.startsWith('/api/v1/')) return callers.key;
    return path.startsWith('/api/review') ? callers.reviewer : callers.owner;
  }

  async function read(list: List, query: string) {
    const { body } = expectStatus(await callerFor(list)('GET', filled(list) + query), 200);
    const [rows] = Object.values(body) as [Record<string, unknown>[]];
    const { total, nextCursor } = body as { total: number; nextCursor: string | null };
    return { rows, total, nextCursor };
  }
  const nameOf = ({ id, userId, code, key, ownerId }: Record<string, unknown>) =>
    String(id ?? userId ?? code ?? `${key} ${ownerId}`);

  test('every list can be read by cursor in each of its orders', async () => {
    expect(lists.length).toBeGreaterThan(30);
    const short: string[] = [];
    for (const list of lists) {
      for (const [i, query] of list.queries.entries()) {
        const title = `${list.path}${query}`;
        const before = (await read(list, `${query}&limit=200`)).rows.map(nameOf);
        const walked: string[] = [];
        let after = '';
        do {
          const page = await read(list, `${query}&limit=${(i % 3) + 1}${after}`);
          walked.push(...page.rows.map(nameOf));
          after = page.nextCursor === null ? '' : `&after=${page.nextCursor}`;
        } while (after !== '');
        // All suites share the review queue.
        const later = new Set((await read(list, `${query}&limit=200`)).rows.map(nameOf));
        const stood = before.filter((name) => later.has(name));
        expect([title, walked.filter((name) => stood.includes(name))]).toEqual([title, stood]);
        if (stood.length < 4) short.push(list.path);
      }
    }
    // These lists have one row each, or none.
    expect(new Set(short)).toEqual(
      new Set(
        ['sections/{sectionId}', 'articles/{articleId}', 'templates/{kind}'].map(
          (owner) => `/api/stores/{storeId}/${owner}/revisions`,
        ),
      ),
    );
  });

  test('a cursor is one list’s, by either door, and never together with an offset', async () => {
    const ofProducts = (await read({ path: '/api/v1/products', queries: [] }, '?limit=1')).nextCursor;
    const ofPages = (await read({ path: '/api/v1/pages', queries: [] }, '?limit=1')).nextCursor;
    for (const list of lists) {
      const refused = async (query: string) => {
        const { status, body } = await callerFor(list)('GET', `${filled(list)}${query}`);
        expect(`${list.path}${query} ${status} ${body.code}`).toBe(`${list.path}${query} 400 invalid_cursor`);
      };
      await refused('?after=nonsense');
      await refused('?after=');
      await refused(`?after=${list.path.endsWith('/products') ? ofPages : ofProducts}`);
      const own = (await read(list, '?limit=1')).nextCursor;
      if (own && list.hasOffset) await refused(`?limit=1&offset=0&after=${own}`);
      if (own && list.queries.length > 1) {
        await refused(`${list.queries.at(-1)}&after=${own}`);
        await refused(`?q=a&after=${own}`);
      }
      const twin = { ...list, path: list.path.replace('/api/v1/', '/api/stores/{storeId}/') };
      if (own && twin.path !== list.path && lists.some(({ path }) => path === twin.path)) {
        expect((await read(twin, `?after=${own}`)).rows).toEqual((await read(list, `?after=${own}`)).rows);
      }
    }
  });

  test('?fields omits the other fields from every list, and keeps the ETag of an item', async () => {
    for (const list of lists) {
      const whole = await read(list, '?limit=2');
      const reduced = await read(list, '?limit=2&fields=createdAt,no.such,field');
      const expected = whole.rows.map(({ id, createdAt }) => ({
        ...(id !== undefined && { id }),
        ...(createdAt !== undefined && { createdAt }),
      }));
      expect([list.path, reduced]).toEqual([list.path, { ...whole, rows: expected }]);
    }
    const [{ id }] = (await read({ path: '/api/v1/products', queries: [] }, '?sort=price')).rows as [
      { id: string },
    ];
    const path = `/api/v1/products/${id}`;
    const whole = expectStatus(await callers.key('GET', path), 200);
    const reduced = expectStatus(await callers.key('GET', `${path}?fields=name,variants.stock`), 200);
    const { variants } = whole.body.product;
    expect(reduced.body).toEqual({
      product: { id, name: 'Tea', variants: [{ id: variants[0].id, stock: variants[0].stock }] },
    });
    const etag = reduced.headers.etag!;
    expect(etag).toBe(whole.headers.etag);
    const known = await callers.key('GET', `${path}?fields=name`, undefined, { 'if-none-match': etag });
    expect(known).toMatchObject({ status: 304, text: '', headers: { etag } });
    const change = { name: 'Green tea', status: 'active' };
    expectStatus(await callers.key('PUT', path, change, { 'if-match': etag }), 200);
    expectStatus(await callers.key('PUT', path, change, { 'if-match': etag }), 412);
  });
});

test.each(topologies)(
  '$name: a store’s members see what it may have and how much of it is used',
  async ({ share }) => {
    const { baseUrl } = await share();
    const [owner, reader, stranger] = [
      await newPerson(baseUrl),
      await newPerson(baseUrl),
      await newPerson(baseUrl),
    ];
    const storeId = await newStore(owner);
    await join(owner, storeId, reader, 'viewer');
    const call = createCaller(baseUrl, (await newKey(owner, storeId, permissions)).secret);
    for (const name of ['Tea', 'Milk']) expectStatus(await call('POST', '/api/v1/products', { name }), 201);
    expectStatus(await call('POST', '/api/v1/media-folders', { name: 'Pictures' }), 201);
    const path = `/api/stores/${storeId}/limits`;
    const { limits } = expectStatus(await reader.call('GET', path), 200).body;
    const named = Object.fromEntries(
      limits.map(({ name, ...limit }: { name: string; used: number; limit: number }) => [name, limit]),
    );
    expect(named).toEqual({
      products: { used: 2, limit: 1_000_000 },
      categories: { used: 0, limit: 10_000 },
      customers: { used: 0, limit: 10_000_000 },
      discounts: { used: 0, limit: 10_000 },
      pages: { used: 0, limit: 10_000 },
      sections: { used: 0, limit: 10_000 },
      articles: { used: 0, limit: 1_000_000 },
      blogCategories: { used: 0, limit: 10_000 },
      translations: { used: 0, limit: 5_000_000 },
      media: { used: 0, limit: 1_073_741_824 },
      mediaFolders: { used: 1, limit: 10_000 },
      webhooks: { used: 0, limit: 50 },
      apiKeys: { used: 1, limit: 10_000 },
      members: { used: 2, limit: 10_000 },
      invitations: { used: 0, limit: 10_000 },
      domains: { used: 0, limit: 10_000 },
      paymentMethods: { used: 0, limit: 10_000 },
      formerSlugs: { used: 0, limit: 10_000 },
      apps: { used: 0, limit: 10_000 },
    });
    expectStatus(await stranger.call('GET', path), 404);
    expectStatus(await createCaller(baseUrl, undefined)('GET', path), 401);
  },
);
