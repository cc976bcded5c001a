import { rolePermissions, roles } from '@waybill/contracts';
import { eventually, type Receiver, startReceiver } from '@waybill/testing';
import { expectStatus, join, newKey, newPerson, newStore, type Person } from '../../testing/accounts.ts';
import { type Caller, createCaller, type Reply, send } from '../../testing/client.ts';
import { formOf, jpegOf, upload } from '../../testing/uploads.ts';
import { type SharedSystem, topologies } from './topologies.ts';

interface Operation {
  operationId: string;
  parameters?: { in: string }[];
  requestBody?: object;
  security: object[];
  responses: Record<string, { $ref?: string; content?: object }>;
  'x-permission'?: string;
}

/** An operation of the public API, and the path of its counterpart below a store. */
interface Door {
  method: string;
  /** The path below `/api/v1` and below `/api/stores/{storeId}`. */
  path: string;
  operation: Operation;
}

const publicApi = '/api/v1';
const storeApi = '/api/stores/{storeId}';

/** Whether a path is only for credentials: the data of apps, and the credential's own facts. */
const isOfCredentialsOnly = (path: string) =>
  /^\/api\/v1\/(?:app-data|payment-sessions|store)(?:\/|$)/.test(path);

describe.each(topologies)('$name', ({ share, inOneTopology }) => {
  let system: SharedSystem;
  let receiver: Receiver;
  let document: Record<string, Record<string, Operation>>;
  let doors: Door[];
  beforeAll(async () => {
    receiver = await startReceiver();
    system = await share();
    document = (await send(system.baseUrl, 'GET', '/openapi.json')).body.paths;
    doors = Object.entries(document)
      .filter(([path]) => path.startsWith(`${publicApi}/`) && !isOfCredentialsOnly(path))
      .flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => ({
          method: method.toUpperCase(),
          path: path.slice(publicApi.length),
          operation,
        })),
      )
      // A route that always refuses has no counterpart: members may have their own route in its place.
      .filter(({ operation }) => !operation.responses[405]);
  });
  afterAll(() => receiver.close());

  describe('the API document', () => {
    inOneTopology('has each operation of the public API once more for members, with the same schemas', () => {
      expect(doors.length).toBeGreaterThan(40);
      for (const { method, path, operation } of doors) {
        const title = `${method} ${path}`;
        const twin = document[`${storeApi}${path}`]?.[method.toLowerCase()];
        expect(`${title} ${twin !== undefined}`).toBe(`${title} true`);
        const [storeId, ...parameters] = twin!.parameters!;
        expect(storeId).toMatchObject({ name: 'storeId', in: 'path' });
        const success = ({ responses }: Operation) =>
          Object.entries(responses).filter(([status]) => status.startsWith('2'));
        expect({
          parameters,
          body: twin!.requestBody,
          success: success(twin!),
          security: twin!.security,
        }).toEqual({
          parameters: operation.parameters ?? [],
          body: operation.requestBody,
          success: success(operation),
          security: [{ userToken: [] }],
        });
        expect(twin!.responses[403]!.$ref).toContain('insufficient_role');
      }
    });
  });

  /**
   * Creates a store with items of every kind, and its callers: for each role a member, and a key with the same
   * permissions.
   */
  async function openStore() {
    const owner = await newPerson(system.baseUrl);
    const storeId = await newStore(owner);
    const key = createCaller(system.baseUrl, (await newKey(owner, storeId, rolePermissions.owner)).secret);
    const create = async (path: string, json: unknown) =>
      expectStatus(await key('POST', `${publicApi}/${path}`, json), 201).body;
    const variants = [{ sku: 'T-1', name: '100 g', priceCents: 250, stock: 1000 }];
    const { product } = await create('products', { name: 'Tea', status: 'active', variants });
    const placed = await send(system.baseUrl, 'POST', `/storefront/${storeId}/orders`, {
      headers: { 'idempotency-key': 'first' },
      json: {
        items: [{ variantId: product.variants[0].id, quantity: 1 }],
        customer: { name: 'Bob', email: 'bob@example.com' },
      },
    });
    const { order } = expectStatus(placed, 201).body;
    const ids: Record<string, string> = {
      products: product.id,
      orders: order.id,
      customers: order.customerId,
      discounts: (await create('discounts', { title: 'Sale', code: 'SALE', kind: 'freeShipping' })).discount
        .id,
      pages: (await create('pages', { name: 'About', slug: 'about' })).page.id,
      articles: (await create('articles', { title: 'News', slug: 'news' })).article.id,
      'blog-categories': (await create('blog-categories', { name: 'Events', slug: 'events' })).blogCategory
        .id,
      categories: (await create('categories', { name: 'Teas' })).category.id,
      'custom-fields': (
        await create('custom-fields', { entity: 'product', key: 'origin', name: 'Origin', type: 'text' })
      ).customField.id,
      webhooks: (await create('webhooks', { url: receiver.url, events: ['product.created'] })).webhook.id,
    };
    return { owner, storeId, ids, key };
  }
  type Store = Awaited<ReturnType<typeof openStore>>;

  async function callersOf({ owner, storeId }: Store, role: (typeof roles)[number]) {
    const person = role === 'owner' ? owner : await newPerson(system.baseUrl);
    if (role !== 'owner') await join(owner, storeId, person, role);
    const { secret } = await newKey(owner, storeId, rolePermissions[role]);
    return { person, member: person.call, key: createCaller(system.baseUrl, secret) };
  }

  /** Returns a path with an item of the store in place of `{id}`; for a deletion, with an id that does not exist. */
  const filled = ({ method, path }: Door, ids: Record<string, string>) =>
    path
      .replace(/^\/([\w-]+)\/\{id\}/, (_, resource: string) =>
        method === 'DELETE' ? `/${resource}/nothing` : `/${resource}/${ids[resource] ?? 'nothing'}`,
      )
      .replaceAll(/\{\w+\}/g, 'nothing');

  /** Bodies with which a request takes effect; all other requests are refused as with `{}`. */
  const bodies: Record<string, (unique: number) => object> = {
    createProduct: (unique) => ({ name: 'Cup', slug: `cup-${unique}` }),
    replaceProduct: () => ({ name: 'Tea', status: 'active' }),
    changeOrder: () => ({ payment: 'paid' }),
    createCustomer: (unique) => ({ email: `c-${unique}@example.com`, name: 'Carl' }),
    // All remaining units can be sent only once.
    createFulfillment: () => ({ lines: [] }),
    createDiscount: (unique) => ({ title: 'Sale', code: `sale-${unique}`, kind: 'freeShipping' }),
    createPage: (unique) => ({ name: 'Imprint', slug: `imprint-${unique}` }),
    createArticle: (unique) => ({ title: 'More', slug: `more-${unique}` }),
    createBlogCategory: (unique) => ({ name: 'Tips', slug: `tips-${unique}` }),
    createMediaFolder: (unique) => ({ name: `Folder ${unique}` }),
    rotateSecret: () => ({ overlapHours: 0 }),
    createWebhook: () => ({ url: receiver.url, events: ['order.created'] }),
    replaceWebhook: () => ({ url: receiver.url, events: ['order.created', 'product.created'] }),
  };
  let unique = 0;

  const request = (call: Caller, prefix: string, door: Door, ids: Record<string, string>) =>
    call(
      door.method,
      `${prefix}${filled(door, ids)}`,
      door.method === 'GET' || door.method === 'DELETE'
        ? undefined
        : (bodies[door.operation.operationId]?.(++unique) ?? {}),
    );

  /** Returns an answer without the parts that are unique to each request. */
  function essence({ status, body, text }: Reply): unknown {
    if (/^insufficient_(?:role|scope)$/.test(body?.code ?? '')) return { status, code: 'insufficient' };
    const plain = text
      .replaceAll(/\b[a-z]{3}_[0-9a-hjkmnp-tv-z]{26}\b/g, 'id')
      .replaceAll(/"whsec_[^"]+"/g, '"secret"')
      .replaceAll(/\d+/g, '0');
    return { status, plain };
  }

  for (const role of roles) {
    // With one role, every route is passed in each topology; the others differ by the table of permissions alone.
    const define = role === 'owner' ? test : inOneTopology;
    define(`every route answers a member who is ${role} as a key of the same permissions`, async () => {
      const store = await openStore();
      const { member, key } = await callersOf(store, role);
      const statuses = new Map<number, number>();
      for (const door of doors) {
        const isRead = door.method === 'GET';
        const ask = async () => {
          const byKey = await request(key, publicApi, door, store.ids);
          const byMember = await request(member, `/api/stores/${store.storeId}`, door, store.ids);
          return { byKey, byMember };
        };
        let replies = await ask();
        const asText = (reply: Reply) =>
          JSON.stringify(isRead && reply.status === 200 ? reply.body : essence(reply));
        // Events and their consequences change the answers between two requests.
        if (isRead)
          await eventually(
            async () => {
              replies = await ask();
              return asText(replies.byKey) === asText(replies.byMember);
            },
            { withinMs: 10_000 },
          ).catch(() => {});
        const title = `${door.method} ${door.path}`;
        expect(`${title} ${asText(replies.byMember)}`).toBe(`${title} ${asText(replies.byKey)}`);
        const { status } = replies.byMember;
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        const may = rolePermissions[role].includes(door.operation['x-permission'] as never);
        expect(`${title} ${status === 403}`).toBe(`${title} ${!may}`);
      }
      expect([...statuses.keys()]).toEqual(expect.arrayContaining([200, 404]));
      if (role !== 'viewer') expect(statuses.get(201)).toBeGreaterThan(4);
    });
  }

  inOneTopology('no route gives anything of another store', async () => {
    const [theirs, ours] = [await openStore(), await openStore()];
    const [foreignIds, stranger] = [Object.values(theirs.ids), ours.owner];
    for (const door of doors) {
      const title = `${door.method} ${door.path}`;
      const outside = await request(stranger.call, `/api/stores/${theirs.storeId}`, door, theirs.ids);
      expect([title, outside.status, outside.body.code]).toEqual([title, 404, 'not_found']);
      const inside = await request(stranger.call, `/api/stores/${ours.storeId}`, door, theirs.ids);
      expect([title, foreignIds.filter((id) => inside.text.includes(id))]).toEqual([title, []]);
      if (filled(door, theirs.ids).match(/_[0-9a-z]{26}/)) {
        expect([title, inside.status < 400]).toEqual([title, false]);
      }
    }
  });

  inOneTopology('each API accepts only its own kind of credential', async () => {
    const { owner, storeId, ids, key } = await openStore();
    for (const door of doors) {
      const title = `${door.method} ${door.path}`;
      const byKey = await request(key, `/api/stores/${storeId}`, door, ids);
      expect([title, byKey.status, byKey.body.code]).toEqual([title, 401, 'user_token_required']);
      const byUser = await request(owner.call, publicApi, door, ids);
      expect([title, byUser.status, byUser.body.code]).toEqual([title, 401, 'api_key_required']);
    }
  });

  test("a key learns of its store what the store's members see", async () => {
    const { owner, storeId, key } = await openStore();
    const { body } = await owner.call('GET', `/api/stores/${storeId}`);
    const { id, name, slug, currency, currencyExponent, locales, isDevelopment, faviconMediaId } = body.store;
    const url = `${system.demo.baseUrl}/s/${slug}/`;
    expect((await key('GET', `${publicApi}/store`)).body).toEqual({
      store: { id, name, slug, currency, currencyExponent, locales, isDevelopment, faviconMediaId, url },
      scopes: [...rolePermissions.owner],
    });
  });

  test('HEAD, a method that is none, a resource that is none and a store that is none', async () => {
    const { owner, storeId } = await openStore();
    const ask = (method: string, path: string) => owner.call(method, `/api/stores/${path}`);
    expect(await ask('HEAD', `${storeId}/products`)).toMatchObject({ status: 200, text: '' });
    const refused = await ask('PUT', `${storeId}/products`);
    expect([refused.status, refused.headers.allow]).toEqual([405, 'GET, POST, HEAD']);
    for (const path of [`${storeId}/nothing`, `${storeId}/app-data`, 'str_x/products'])
      expect((await ask('GET', path)).body.code).toBe('not_found');
  });

  inOneTopology('a strict write accepts exactly what a GET returns', async () => {
    const { owner, storeId, key, ids } = await openStore();
    const strict = { prefer: 'handling=strict' };
    const below = `/api/stores/${storeId}`;
    const call = (path: string) => (path.startsWith(publicApi) ? key : owner.call);
    const postCreated = async (path: string, body: object) =>
      Object.values(
        expectStatus(await owner.call('POST', `${below}/${path}`, body, strict), 201).body,
      )[0] as {
        id: string;
      };
    const folder = await postCreated('media-folders', { name: 'Summer' });
    const { document } = (await owner.call('GET', `${below}/templates/header/draft`)).body;
    const section = await postCreated('sections', { name: 'Offer', document });
    const built = await postCreated('articles', { title: 'Built' });
    expectStatus(await owner.call('PUT', `${below}/articles/${built.id}/document`, { document }), 200);
    const sent = await upload(system.baseUrl, owner.accessToken, formOf(jpegOf(2_000), 'Tea.jpg'), {
      path: `${below}/media`,
    });
    for (const [method, path, envelope] of [
      ['PUT', `${publicApi}/products/${ids.products}`, 'product'],
      ['PATCH', `${publicApi}/products/${ids.products}`, 'product'],
      ['PUT', `${publicApi}/customers/${ids.customers}`, 'customer'],
      ['PATCH', `${publicApi}/pages/${ids.pages}`, 'page'],
      ['PUT', `${publicApi}/articles/${ids.articles}`, 'article'],
      ['PUT', `${publicApi}/blog-categories/${ids['blog-categories']}`, 'blogCategory'],
      ['PATCH', `${publicApi}/categories/${ids.categories}`, 'category'],
      ['PATCH', `${publicApi}/custom-fields/${ids['custom-fields']}`, 'customField'],
      ['PUT', `${publicApi}/webhooks/${ids.webhooks}`, 'webhook'],
      ['PATCH', `${publicApi}/media/${sent.body.media.id}`, 'media'],
      ['PATCH', `${publicApi}/media-folders/${folder.id}`, 'mediaFolder'],
      ['PUT', `${below}/pages/${ids.pages}/draft`, null],
      ['PUT', `${below}/articles/${built.id}/document`, null],
      ['PUT', `${below}/sections/${section.id}`, 'section'],
      ['PUT', `${below}/templates/footer/draft`, null],
      ['PUT', `${below}/theme`, null],
      ['PATCH', below, 'store'],
      ['PATCH', '/api/me', 'user'],
    ] as const) {
      const got = await call(path)('GET', path);
      if (got.status === 404 || got.status === 405) throw new Error(`${path}: ${got.text}`);
      const item = envelope ? got.body[envelope] : got.body;
      const back = await call(path)(method, path, item, strict);
      const unknown = (back.body.details ?? []).filter((each: { message: string }) =>
        /not known/.test(each.message),
      );
      expect([method, path, unknown]).toEqual([method, path, []]);
      const wrong = await call(path)(method, path, { ...item, unheardOf: 1 }, strict);
      expect([path, wrong.status, wrong.headers['preference-applied']]).toEqual([
        path,
        400,
        'handling=strict',
      ]);
      expect(wrong.body.details).toContainEqual({ pointer: '/unheardOf', message: 'is not known here' });
    }
    // The gateway refuses these itself.
    for (const [method, path] of [
      ['POST', `${publicApi}/products`],
      ['PATCH', `${below}/nothing`],
    ] as const) {
      const refused = await send(system.baseUrl, method, path, { json: {}, headers: strict });
      expect([path, refused.status, refused.headers['preference-applied']]).toEqual([
        path,
        401,
        'handling=strict',
      ]);
    }
    const ask = (path: string, json: object, headers = {}) =>
      send(system.baseUrl, 'POST', path, { json, headers: { ...strict, ...headers } });
    const person = { email: 'new@example.com', password: 'a long password', name: 'New' };
    const checkout = {
      items: [{ variantId: 'var_x', quantity: 1 }],
      customer: { name: 'Bob', email: 'bob@example.com', adress: {} },
    };
    for (const [reply, pointer] of [
      [await ask('/api/auth/register', { ...person, nmae: 'x' }), '/nmae'],
      [
        await ask(`/storefront/${storeId}/orders`, checkout, { 'idempotency-key': 'strict' }),
        '/customer/adress',
      ],
    ] as const) {
      expect([reply.status, reply.headers['preference-applied']]).toEqual([400, 'handling=strict']);
      expect(reply.body.details).toContainEqual(expect.objectContaining({ pointer }));
    }
  });

  describe('the search over everything', () => {
    const search = async (caller: Caller, storeId: string, q: string) =>
      expectStatus(await caller('GET', `/api/stores/${storeId}/search?q=${encodeURIComponent(q)}`), 200).body;

    test('finds the store’s resources of each type, exact matches first, and none of another store', async () => {
      const { owner, storeId, key, ids } = await openStore();
      await openStore();
      const create = (path: string, json: object) => key('POST', `${publicApi}/${path}`, json);
      for (let i = 0; i < 6; i++) expectStatus(await create('products', { name: `Tea ${i}` }), 201);
      const page = expectStatus(await create('pages', { name: 'Café'.normalize('NFD') }), 201).body.page;
      const sent = await upload(system.baseUrl, owner.accessToken, formOf(jpegOf(2_000), 'Teapot.jpg'), {
        path: `/api/stores/${storeId}/media`,
      });
      for (const [q, hits] of [
        ['about', [{ type: 'page', id: ids.pages, title: 'About', subtitle: 'about' }]],
        ['café', [{ type: 'page', id: page.id, title: page.name, subtitle: page.slug }]],
        ['NEWS', [{ type: 'article', id: ids.articles, title: 'News', subtitle: 'news' }]],
        ['teapot', [{ type: 'media', id: sent.body.media.id, title: 'Teapot.jpg', subtitle: 'image/jpeg' }]],
        [
          'bob example',
          [
            { type: 'order', id: ids.orders, title: '#1', subtitle: 'Bob' },
            { type: 'customer', id: ids.customers, title: 'Bob', subtitle: 'bob@example.com' },
          ],
        ],
        ['#1', [{ type: 'order', id: ids.orders, title: '#1', subtitle: 'Bob' }]],
        ['1 bo', [{ type: 'order', id: ids.orders, title: '#1', subtitle: 'Bob' }]],
        ['%', []],
        [' ', []],
      ] as const)
        expect([q, await search(owner.call, storeId, q)]).toEqual([q, { hits }]);
      const { hits } = await search(owner.call, storeId, 'tea');
      expect(hits.map(({ type, title }: { type: string; title: string }) => `${type} ${title}`)).toEqual([
        'product Tea',
        ...[5, 4, 3, 2].map((i) => `product Tea ${i}`),
        'media Teapot.jpg',
      ]);
    });

    inOneTopology('ignores case, accents and punctuation, in every list and over all', async () => {
      const { owner, storeId, key } = await openStore();
      const create = (path: string, json: object) => key('POST', `${publicApi}/${path}`, json);
      const person = { email: 'sean@example.com', name: 'Seán O’Brien' };
      const { customer } = expectStatus(await create('customers', person), 201).body;
      const { product } = expectStatus(
        await create('products', { name: 'Łódź Größe', status: 'active' }),
        201,
      ).body;
      const { article } = expectStatus(await create('articles', { title: 'Ёлка García' }), 201).body;
      const { page } = expectStatus(await create('pages', { name: 'Ærøskøbing' }), 201).body;
      const { media } = (
        await upload(system.baseUrl, owner.accessToken, formOf(jpegOf(2_000), 'Þór–ﬁne.jpg'), {
          path: `/api/stores/${storeId}/media`,
        })
      ).body;
      for (const [list, id, words] of [
        ['customers', customer.id, ["sean o'brien", 'SEÁN', 'o’brien', 'OʼBRIEN']],
        ['products', product.id, ['lodz', 'ŁÓDŹ', 'GRÖSSE', 'grosse']],
        ['articles', article.id, ['елка', 'ЁЛКА', 'garcia']],
        ['media', media.id, ['thor-fine', 'þór—FINE']],
      ] as const)
        for (const q of words) {
          const found = await key('GET', `${publicApi}/${list}?q=${encodeURIComponent(q)}`);
          expect([q, found.body[list].map((row: { id: string }) => row.id)]).toEqual([q, [id]]);
          expect((await search(owner.call, storeId, q)).hits).toMatchObject([{ id }]);
        }
      expect((await search(owner.call, storeId, 'aeroskobing')).hits).toMatchObject([{ id: page.id }]);
      for (const q of ['#1', '#1 bob', '1'])
        expect((await key('GET', `${publicApi}/orders?q=${encodeURIComponent(q)}`)).body.total).toBe(1);
    });

    inOneTopology('sorts search results by name across pages', async () => {
      const { key } = await openStore();
      for (const name of ['Zebra', 'Łopata', 'lupe', 'Élan', 'Lama', 'Straße', 'Strasburg'])
        expectStatus(await key('POST', `${publicApi}/products`, { name }), 201);
      const names: string[] = [];
      let after = '';
      do {
        const { body } = await key('GET', `${publicApi}/products?sort=name&limit=2${after}`);
        names.push(...body.products.map(({ name }: { name: string }) => name));
        after = body.nextCursor ? `&after=${body.nextCursor}` : '';
      } while (after);
      const sorted = ['Élan', 'Lama', 'Łopata', 'lupe', 'Strasburg', 'Straße', 'Zebra'];
      expect(names.filter((name) => sorted.includes(name))).toEqual(sorted);
    });

    test('needs a member, whatever headers a request has', async () => {
      const { storeId, key } = await openStore();
      const [stranger, path] = [await newPerson(system.baseUrl), `/api/stores/${storeId}/search?q=tea`];
      expect((await stranger.call('GET', path)).body.code).toBe('not_found');
      expect((await key('GET', path)).body.code).toBe('user_token_required');
      const forged = { 'x-waybill-principal': 'e30.e30.e30' };
      expect((await send(system.baseUrl, 'GET', path, { headers: forged })).body.code).toBe(
        'missing_credential',
      );
      const refused = await stranger.call('POST', path);
      expect([refused.status, refused.body.code]).toEqual([404, 'not_found']);
    });
  });

  describe('what a member does there', () => {
    const call =
      (person: Person, storeId: string): Caller =>
      (method, path, json, headers) =>
        person.call(method, `/api/stores/${storeId}${path}`, json, headers);

    test('reaches the webhooks like a change by a credential', async () => {
      const { owner, storeId } = await openStore();
      const there = call(owner, storeId);
      const url = `${receiver.url}/${storeId}`;
      const events = ['product.created', 'product.deleted', 'product.updated'];
      expectStatus(await there('POST', '/webhooks', { url, events }), 201);
      const { product } = expectStatus(await there('POST', '/products', { name: 'Mug' }), 201).body;
      const path = `/products/${product.id}`;
      const replaced = expectStatus(await there('PUT', path, { name: 'Mugs' }), 200).body;
      expect((await there('GET', path)).body).toEqual(replaced);
      expectStatus(await there('DELETE', path), 204);
      expect((await there('GET', path)).body.code).toBe('not_found');
      const listReceived = () =>
        receiver.calls
          .filter((one) => one.path === `/${storeId}`)
          .map(({ headers }) => headers['x-wb-event-type']);
      await eventually(() => listReceived().length >= 3, { withinMs: 30_000 });
      expect(listReceived().sort()).toEqual(events);
    });

    test('can be an upload', async () => {
      const { owner, storeId, key } = await openStore();
      const path = `/api/stores/${storeId}/media`;
      const sent = await upload(system.baseUrl, owner.accessToken, formOf(jpegOf(300_000)), { path });
      expect(sent.status).toBe(201);
      const { media } = (await key('GET', `${publicApi}/media`)).body;
      expect(media).toEqual([sent.body.media]);
    });

    test("makes a webhook of that member's own, told what its role may read", async () => {
      const { owner, storeId } = await openStore();
      const admin = await newPerson(system.baseUrl);
      await join(owner, storeId, admin, 'admin');
      const input = { url: receiver.url, events: ['order.created'] };
      const { webhook } = expectStatus(await call(admin, storeId)('POST', '/webhooks', input), 201).body;
      const seen = async () => (await call(owner, storeId)('GET', `/webhooks/${webhook.id}`)).body.webhook;
      expect(await seen()).toMatchObject({ appId: null, reducedEvents: [] });
      expectStatus(await call(owner, storeId)('DELETE', `/members/${admin.userId}`), 204);
      expect((await seen()).reducedEvents).toEqual(['order.created']);
    });
  });
});
