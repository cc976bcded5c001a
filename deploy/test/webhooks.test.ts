import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { catalog } from '@waybill/catalog';
import { type Permission, type Principal, permissions } from '@waybill/contracts';
import { delivery } from '@waybill/delivery';
import { identity } from '@waybill/identity';
import {
  eventually,
  mailsTo,
  type ReceivedCall,
  type Receiver,
  runSql,
  startReceiver,
  startSystem,
  type TestSystem,
} from '@waybill/testing';
import { webhooks } from '@waybill/webhooks';
import pg from 'pg';
import { Webhook } from 'standardwebhooks';
import request from 'supertest';

let receiver: Receiver;
let system: TestSystem;
beforeAll(async () => {
  receiver = await startReceiver();
  system = await startSystem([identity, catalog, webhooks, delivery], {
    WEBHOOK_TRUSTED_TARGETS: receiver.trusted,
    WEBHOOK_RETRY_DELAYS_SECONDS: '0.1,0.1,0.2,0.2,0.2,0.2',
  });
  await runSql(system, 'identity', people);
});
afterAll(async () => {
  await system.stop();
  await receiver.close();
});

const owner = { kind: 'user', userId: `usr_${'0'.repeat(26)}`, email: 'owner@example.com' } as const;
const creator = { userId: `usr_${'1'.repeat(26)}`, email: 'creator@example.com' };
const scopes: Permission[] = ['products.read', 'products.write', 'webhooks.read', 'webhooks.write'];
const fewScopes: Permission[] = ['webhooks.read', 'webhooks.write'];

/** A hundred stores, each with an owner, and an admin who has made the keys `key_1` and `key_2` (of few scopes). */
const people = `
  insert into user_account (id, email, name, password_hash) values
    ('${owner.userId}', '${owner.email}', 'Olga', ''), ('${creator.userId}', '${creator.email}', 'Carl', '');
  insert into store (id, name, slug, currency)
    select 'str_' || lpad(n::text, 26, '0'), 'Shop', 'shop-' || n, 'CHF' from generate_series(1, 100) n;
  insert into member (store_id, user_id, role) select id, '${owner.userId}', 'owner' from store;
  insert into member (store_id, user_id, role) select id, '${creator.userId}', 'admin' from store;
  insert into api_key (store_id, id, name, prefix, hash, scopes, created_by)
    select store.id, key.id, 'Key', 'wbk_', key.id || store.id, string_to_array(key.scopes, ','), '${creator.userId}'
    from store, (values ('key_1', '${scopes}'), ('key_2', '${fewScopes}')) key (id, scopes);`;

let stores = 0;
/** A store of its own, and a path at the receiver that only its webhooks are called at. */
function newStore() {
  const storeId = `str_${String(++stores).padStart(26, '0')}`;
  type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
  const sendAs =
    (principal: Principal) =>
    async (method: Method, path: string, body?: unknown, headers: Record<string, string> = {}) => {
      const call = request(system.internalUrl)
        [method](path.startsWith('/api/') ? path : `/api/v1${path}`)
        .set(await system.as(principal))
        .set(headers);
      return body === undefined ? call : call.send(body as object);
    };
  const key = { kind: 'apiKey', storeId, creatorPermissions: permissions } as const;
  const send = sendAs({ ...key, keyId: 'key_1', scopes });
  const asOwner = sendAs({ ...owner, storeId, role: 'owner' });
  const members = `/api/stores/${storeId}/members`;
  const url = `${receiver.url}/${storeId}`;
  return {
    storeId,
    url,
    send,
    /** With a key that may not read products. */
    sendWithLess: sendAs({ ...key, keyId: 'key_2', scopes: fewScopes }),
    sendAsApp: sendAs({
      ...{ kind: 'app', storeId, scopes: fewScopes },
      ...{ appId: `app_${'0'.repeat(26)}`, installId: `ins_${'0'.repeat(26)}` },
    }),
    async removeCreator() {
      expect((await asOwner('delete', `${members}/${creator.userId}`)).status).toBe(204);
    },
    async bringCreatorBack() {
      expect((await asOwner('post', members, { email: creator.email, role: 'viewer' })).status).toBe(201);
    },
    calls: () => receiver.calls.filter(({ path }) => path.startsWith(`/${storeId}`)),
    async subscribe(events = ['product.created']) {
      const res = await send('post', '/webhooks', { url, events });
      expect(res.status).toBe(201);
      return res.body as { webhook: { id: string; url: string; events: string[] }; secret: string };
    },
    createProduct: async (name = 'Tea') => (await send('post', '/products', { name })).body.product,
    deliveries: async (id: string) => (await send('get', `/webhooks/${id}/deliveries`)).body.deliveries,
    status: async (id: string) => (await send('get', `/webhooks/${id}`)).body.webhook.status,
  };
}

/** Answers the calls of one store; the others' as usual. */
function answer(storeId: string, reply: (call: ReceivedCall, nth: number) => number): void {
  let nth = 0;
  receiver.answer((call, res) => {
    res.writeHead(call.path.startsWith(`/${storeId}`) ? reply(call, ++nth) : 200).end();
  });
}

describe('a product that is created', () => {
  test('is called about under the trace of the request', async () => {
    const store = newStore();
    await store.subscribe();
    const trace = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    await store.send('post', '/products', { name: 'Tea' }, { traceparent: trace });
    await store.createProduct('Coffee');
    await eventually(() => store.calls().length === 2);
    const traces = store
      .calls()
      .map(({ headers, body }) => [JSON.parse(body).data.product.name, headers.traceparent]);
    expect(Object.fromEntries(traces)).toEqual({ Tea: trace, Coffee: undefined });
  });

  test('arrives once as a call that both signatures verify', async () => {
    const store = newStore();
    const { webhook, secret } = await store.subscribe();
    const product = await store.createProduct();
    await eventually(() => store.calls().length > 0);
    const { headers, body } = store.calls()[0]!;
    const envelope = JSON.parse(body);
    expect(envelope).toEqual({
      id: expect.stringMatching(/^evt_/),
      type: 'product.created',
      createdAt: expect.stringMatching(/Z$/),
      data: { product },
    });
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const seconds = Math.floor(Date.parse(String(headers['x-wb-timestamp'])) / 1000);
    const expected = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
    expect(headers['x-wb-signature']).toBe(`sha256=${expected}`);
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toEqual(envelope);
    expect(headers).toMatchObject({
      'x-wb-event-id': envelope.id,
      'x-wb-event-type': 'product.created',
      'x-wb-attempt': '1',
      'content-type': 'application/json',
      'user-agent': 'Waybill-Webhooks/1',
    });
    const [delivery] = await eventually(async () => {
      const all = await store.deliveries(webhook.id);
      return all[0]?.status === 'delivered' && all;
    });
    expect(delivery).toEqual({
      id: expect.stringMatching(/^whd_/),
      endpointId: webhook.id,
      eventId: envelope.id,
      eventType: 'product.created',
      attempt: 1,
      status: 'delivered',
      isTest: false,
      nextAttemptAt: null,
      createdAt: expect.any(String),
      deliveredAt: expect.any(String),
      lastStatusCode: 200,
      lastError: '',
    });
    expect(store.calls().length).toBe(1);
  });

  test('goes to every endpoint that wants it and to no other', async () => {
    const [store, other] = [newStore(), newStore()];
    await store.subscribe(['product.created', 'product.deleted', 'product.created']);
    await store.subscribe(['order.created']);
    await other.subscribe();
    const { id, slug } = await store.createProduct();
    await store.send('delete', `/products/${id}`);
    await eventually(() => store.calls().length === 2);
    const bodies = store.calls().map(({ body }) => JSON.parse(body));
    expect(bodies.find(({ type }) => type === 'product.deleted').data).toEqual({
      product: { id, number: 1, slug },
    });
    expect(other.calls()).toEqual([]);
  });
});

describe('a call that fails', () => {
  test('is retried with the same body and event id, numbered on, and delivered in the end', async () => {
    const store = newStore();
    const { webhook } = await store.subscribe();
    answer(store.storeId, (_, nth) => (nth < 3 ? 500 : 204));
    await store.createProduct();
    await eventually(() => store.calls().length === 3);
    const calls = store.calls();
    expect(calls.map(({ headers }) => headers['x-wb-attempt'])).toEqual(['1', '2', '3']);
    expect(new Set(calls.map(({ body }) => body)).size).toBe(1);
    expect(new Set(calls.map(({ headers }) => headers['x-wb-event-id'])).size).toBe(1);
    await eventually(async () => (await store.deliveries(webhook.id))[0].status === 'delivered');
  });

  test('is dead after the seventh attempt; the endpoint stays, labelled failing, until a call succeeds', async () => {
    const store = newStore();
    const { webhook } = await store.subscribe();
    let status = 302;
    answer(store.storeId, () => status);
    await store.createProduct();
    await eventually(async () => (await store.deliveries(webhook.id))[0]?.attempt === 2);
    expect(await store.status(webhook.id)).toBe('active');
    const [dead] = await eventually(async () => {
      const all = await store.deliveries(webhook.id);
      return all[0].status === 'dead' && all;
    });
    expect(dead).toMatchObject({ attempt: 7, nextAttemptAt: null, lastStatusCode: 302, deliveredAt: null });
    expect(dead.lastError).not.toBe('');
    expect(store.calls().length).toBe(7);
    expect(await store.status(webhook.id)).toBe('failing');

    // Read-modify-write of a failing endpoint is accepted and leaves it so.
    const put = (body: object) =>
      store.send('put', `/webhooks/${webhook.id}`, { url: store.url, events: ['product.created'], ...body });
    expect((await put({ status: 'failing' })).body.webhook.status).toBe('failing');

    const redeliver = () => store.send('post', `/webhooks/${webhook.id}/deliveries/${dead.id}/redeliver`);
    expect(await redeliver()).toMatchObject({
      status: 202,
      body: { delivery: { id: dead.id, eventId: dead.eventId } },
    });
    await eventually(async () => (await store.deliveries(webhook.id))[0].attempt === 8);
    expect((await store.deliveries(webhook.id))[0].status).toBe('dead');
    status = 200;
    await redeliver();
    await eventually(async () => (await store.deliveries(webhook.id))[0].status === 'delivered');
    expect(store.calls().at(-1)!.headers['x-wb-attempt']).toBe('9');
    await eventually(async () => (await store.status(webhook.id)) === 'active');
    const one = (await store.send('get', `/webhooks/${webhook.id}/deliveries/${dead.id}`)).body.delivery;
    expect(
      one.attempts.map(({ attempt, statusCode }: { attempt: number; statusCode: number }) => [
        attempt,
        statusCode,
      ]),
    ).toEqual([...Array.from({ length: 8 }, (_, i) => [i + 1, 302]), [9, 200]]);
    expect((await put({ status: 'failing' })).body.code).toBe('invalid_status');
  });

  test('and a webhook that fails are told to the admins by mail, once a day for each webhook', async () => {
    const store = newStore();
    await runSql(
      system,
      'identity',
      `update user_account set email_verified_at = now() where id = '${owner.userId}'`,
    );
    const { webhook } = await store.subscribe();
    answer(store.storeId, () => 500);
    const isDead = async (nth: number) => (await store.deliveries(webhook.id))[nth]?.status === 'dead';
    const told = async (email: string) =>
      (await mailsTo(system.dataDir, email)).flatMap((mail) =>
        mail.includes(webhook.id) ? /^Subject: (.*)\r$/m.exec(mail)![1] : [],
      );
    const failing = 'Shop: a webhook is failing';
    const lost = 'Shop: a webhook call was given up';
    await store.createProduct();
    await eventually(async () => (await told(owner.email)).length === 2);
    expect((await told(owner.email)).sort()).toEqual([lost, failing]);

    for (const nth of [0, 1]) {
      await store.createProduct();
      await eventually(async () => (await isDead(0)) && (await isDead(nth + 1)));
    }
    await runSql(
      system,
      'webhooks',
      `update webhook_endpoint set told_dead_at = told_dead_at - interval '1 day' where id = '${webhook.id}'`,
    );
    await store.createProduct();
    // Had one of the days' others been told of, that mail would be there before this one's.
    await eventually(async () => (await told(owner.email)).length > 2);
    expect((await told(owner.email)).sort()).toEqual([lost, lost, failing]);
    // The admin's address is not verified.
    expect(await told(creator.email)).toEqual([]);
  });
});

describe('a disabled or deleted endpoint', () => {
  test('gets nothing; what waited is cancelled; enabled again it gets what is new', async () => {
    const store = newStore();
    const { webhook } = await store.subscribe();
    // Once: a slow machine would see all seven attempts end before it comes to the disabling.
    let nth = 0;
    receiver.answer((call, res) => {
      if (!call.path.startsWith(`/${store.storeId}`)) res.end();
      else if (++nth === 1) res.writeHead(500).end();
    });
    await store.createProduct();
    await eventually(
      async () => (await store.deliveries(webhook.id))[0]?.attempt >= 1 && store.calls().length > 0,
    );
    const put = (status?: string) =>
      store.send('put', `/webhooks/${webhook.id}`, {
        url: store.url,
        events: ['product.created'],
        ...(status && { status }),
      });
    expect((await put('disabled')).body.webhook.status).toBe('disabled');
    await eventually(async () => (await store.deliveries(webhook.id))[0].status === 'cancelled');
    const [cancelled] = await store.deliveries(webhook.id);
    expect(
      (await store.send('post', `/webhooks/${webhook.id}/deliveries/${cancelled.id}/redeliver`)).body.code,
    ).toBe('invalid_state');
    // Whom an event goes to is decided when it is fanned out: a second endpoint shows when that is done.
    const witness = `${receiver.url}/witness-${store.storeId}`;
    await store.send('post', '/webhooks', { url: witness, events: ['product.created'] });
    await store.createProduct('While away');
    await eventually(() => receiver.calls.some(({ path }) => path === `/witness-${store.storeId}`));
    answer(store.storeId, () => 200);
    expect((await put()).body.webhook.status).toBe('active');
    const calls = store.calls().length;
    await store.createProduct('Back');
    await eventually(() => store.calls().length > calls);
    expect(JSON.parse(store.calls().at(-1)!.body).data.product.name).toBe('Back');
    expect(store.calls().length).toBe(calls + 1);

    expect((await store.send('delete', `/webhooks/${webhook.id}`)).status).toBe(204);
    for (const path of ['', '/deliveries', `/deliveries/${cancelled.id}`]) {
      expect((await store.send('get', `/webhooks/${webhook.id}${path}`)).status).toBe(404);
    }
  });

  test('keeps a delivery cancelled whose call is in flight and fails, also when it is enabled meanwhile', async () => {
    const store = newStore();
    const { webhook } = await store.subscribe();
    let fail: (() => void) | undefined;
    receiver.answer((call, res) => {
      if (call.path.startsWith(`/${store.storeId}`)) fail = () => res.writeHead(500).end();
      else res.end();
    });
    await store.createProduct();
    await eventually(() => fail !== undefined);
    for (const status of ['disabled', 'active']) {
      const body = { url: store.url, events: ['product.created'], status };
      expect((await store.send('put', `/webhooks/${webhook.id}`, body)).status).toBe(200);
    }
    receiver.answer(200);
    fail!();
    const [{ id }] = await store.deliveries(webhook.id);
    const one = await eventually(async () => {
      const { delivery } = (await store.send('get', `/webhooks/${webhook.id}/deliveries/${id}`)).body;
      return delivery.attempts.length === 1 && delivery;
    });
    expect(one).toMatchObject({ status: 'cancelled', nextAttemptAt: null });
  });
});

describe('POST and PUT /webhooks', () => {
  let store: ReturnType<typeof newStore>;
  beforeAll(() => {
    store = newStore();
  });
  test.each([
    [{ url: 'ftp://example.com', events: ['product.created'] }, 'invalid_body'],
    [{ url: 'https://a:b@example.com', events: ['product.created'] }, 'invalid_body'],
    [{ url: `https://example.com/${'x'.repeat(2048)}`, events: ['product.created'] }, 'invalid_body'],
    [{ url: 5, events: ['product.created'] }, 'invalid_body'],
    [{ events: ['product.created'] }, 'invalid_body'],
    [{ url: 'http://127.0.0.1:1/', events: ['product.created'] }, 'blocked_url'],
    [{ url: 'http://0x7f.1/', events: ['product.created'] }, 'blocked_url'],
    [{ url: 'http://[::ffff:10.0.0.1]/', events: ['product.created'] }, 'blocked_url'],
    [{ url: 'http://localhost/', events: ['product.created'] }, 'blocked_url'],
    [{ url: 'http://127.0.0.1:1/' }, 'no_events'],
    [{ url: 'http://127.0.0.1:1/', events: [] }, 'no_events'],
    [{ url: 'http://127.0.0.1:1/', events: ['product.created', 'order.exploded'] }, 'invalid_event'],
    [{ url: 'http://127.0.0.1:1/', events: [7] }, 'invalid_event'],
    [{ url: 5, events: ['order.exploded'] }, 'invalid_event'],
    [{ url: 'nowhere', events: ['order.exploded'] }, 'invalid_event'],
    [{ url: 'http://127.0.0.1:1/', events: 'product.created' }, 'invalid_body'],
    [
      { url: 'https://example.com/', events: ['product.created'], description: 'x'.repeat(201) },
      'invalid_body',
    ],
    [{ url: 'https://example.com/', events: ['product.created'], description: null }, 'invalid_body'],
  ])('400 for %j: %s, and nothing is stored', async (body, code) => {
    expect(await store.send('post', '/webhooks', body)).toMatchObject({ status: 400, body: { code } });
    expect((await store.send('get', '/webhooks')).body).toEqual({ webhooks: [], total: 0, nextCursor: null });
  });

  test('the offending event type is named', async () => {
    const res = await store.send('post', '/webhooks', { url: receiver.url, events: ['order.exploded'] });
    expect(res.body).toMatchObject({
      error: 'There is no such event type: "order.exploded".',
      details: [{ pointer: '/events/0' }],
    });
  });

  test('the secret is in the create answer only; a blocked replacement changes nothing', async () => {
    const { webhook } = await store.subscribe();
    expect(webhook).not.toHaveProperty('secret');
    const blocked = await store.send('put', `/webhooks/${webhook.id}`, {
      url: 'http://10.0.0.1/',
      events: ['order.created'],
    });
    expect(blocked.body.code).toBe('blocked_url');
    const put = await store.send('put', `/webhooks/${webhook.id}`, {
      url: store.url,
      events: ['order.created'],
    });
    expect(put.body).toEqual({
      webhook: {
        ...webhook,
        events: ['order.created'],
        reducedEvents: ['order.created'],
        updatedAt: expect.any(String),
      },
    });
    for (const status of ['paused', null, 'failing']) {
      const res = await store.send('put', `/webhooks/${webhook.id}`, {
        url: store.url,
        events: ['order.created'],
        status,
      });
      expect(res.body.code).toBe('invalid_status');
    }
    const text = JSON.stringify((await store.send('get', '/webhooks')).body);
    expect(text).not.toContain('whsec_');
    expect((await newStore().send('get', `/webhooks/${webhook.id}`)).status).toBe(404);
  });

  test('a replacement that changes nothing touches nothing', async () => {
    const { webhook } = await store.subscribe();
    const put = await store.send('put', `/webhooks/${webhook.id}`, webhook);
    expect(put.body).toEqual({ webhook });
  });

  test('the fifty-first is too_many_webhooks, also when they come at once', async () => {
    const full = newStore();
    const all = await Promise.all(
      Array.from({ length: 60 }, () =>
        full.send('post', '/webhooks', { url: full.url, events: ['order.created'] }),
      ),
    );
    expect(all.filter(({ status }) => status === 201).length).toBe(50);
    expect(all.find(({ status }) => status === 409)!.body.code).toBe('too_many_webhooks');
  });
});

describe('what a call tells', () => {
  const dataOf = ({ body }: ReceivedCall) => JSON.parse(body).data.product;

  test('is what the key may read that has made the endpoint, or last replaced it', async () => {
    const store = newStore();
    const { webhook } = await store.subscribe(['product.created', 'product.deleted', 'course.enrolled']);
    expect(webhook).toMatchObject({ reducedEvents: [], description: '', appId: null });
    const all = await store.createProduct('All');
    const { url, events } = webhook;
    const body = { url, events, description: 'Told less' };
    const put = (await store.sendWithLess('put', `/webhooks/${webhook.id}`, body)).body.webhook;
    const reducedEvents = ['product.created', 'product.deleted'];
    expect(put).toMatchObject({ description: 'Told less', reducedEvents });
    const less = await store.createProduct('Less');
    await store.send('delete', `/products/${less.id}`);
    await eventually(() => store.calls().length === 3);
    const told = store
      .calls()
      .map((call) => [JSON.parse(call.body).type, dataOf(call)])
      .sort();
    expect(told).toEqual(
      expect.arrayContaining([
        ['product.created', all],
        ['product.created', { id: less.id }],
        ['product.deleted', { id: less.id }],
      ]),
    );
    // Read and written back by who may read more: it is told more.
    const { webhook: read } = (await store.send('get', `/webhooks/${webhook.id}`)).body;
    expect(read).toEqual(put);
    expect((await store.send('put', `/webhooks/${webhook.id}`, read)).body.webhook.reducedEvents).toEqual([]);
  });

  test('is decided anew for every attempt', async () => {
    const store = newStore();
    const { webhook } = await store.subscribe();
    let fail: (() => void) | undefined;
    receiver.answer((call, res) => {
      if (!call.path.startsWith(`/${store.storeId}`) || fail) res.end();
      else fail = () => res.writeHead(500).end();
    });
    const product = await store.createProduct();
    await eventually(() => fail !== undefined);
    await store.removeCreator();
    fail!();
    const settled = (attempt: number) =>
      eventually(async () => {
        const [delivery] = await store.deliveries(webhook.id);
        return delivery.status === 'delivered' && delivery.attempt === attempt && delivery;
      });
    const { id } = await settled(2);
    const body = (await store.send('get', `/webhooks/${webhook.id}`)).body;
    expect(body.webhook.reducedEvents).toEqual(['product.created']);
    await store.bringCreatorBack();
    await store.send('post', `/webhooks/${webhook.id}/deliveries/${id}/redeliver`);
    await settled(3);
    expect(store.calls().map(dataOf)).toEqual([product, { id: product.id }, product]);
    expect(new Set(store.calls().map(({ headers }) => headers['x-wb-event-id'])).size).toBe(1);
  });

  test('is the same for what is too large for a message, also when it is tried again', async () => {
    const store = newStore();
    await store.subscribe();
    const body = { url: `${store.url}/less`, events: ['product.created'] };
    expect((await store.sendWithLess('post', '/webhooks', body)).status).toBe(201);
    answer(store.storeId, (_, nth) => (nth <= 2 ? 500 : 200));
    const input = { name: 'Tea', description: 'Leaf '.repeat(10_000) };
    const { product } = (await store.send('post', '/products', input)).body;
    await eventually(() => store.calls().length === 4);
    const told = Map.groupBy(store.calls(), ({ path }) => path);
    expect(told.get(`/${store.storeId}`)!.map(dataOf)).toEqual([product, product]);
    expect(told.get(`/${store.storeId}/less`)!.map(dataOf)).toEqual([{ id: product.id }, { id: product.id }]);
  });

  test('is ids where it was not written down who has made the endpoint, until it is replaced', async () => {
    const store = newStore();
    const { webhook } = await store.subscribe();
    await runSql(
      system,
      'webhooks',
      `update webhook_endpoint set owner_id = null where id = '${webhook.id}'`,
    );
    const { body } = await store.send('get', `/webhooks/${webhook.id}`);
    expect(body.webhook.reducedEvents).toEqual(['product.created']);
    const { id } = await store.createProduct();
    await eventually(() => store.calls().length === 1);
    expect(store.calls().map(dataOf)).toEqual([{ id }]);
    await store.send('put', `/webhooks/${webhook.id}`, body.webhook);
    const product = await store.createProduct();
    await eventually(() => store.calls().length === 2);
    expect(dataOf(store.calls()[1]!)).toEqual(product);
  });

  test('waits until it can be found out, and only for those of whom it is not known', async () => {
    const [known, unknown] = [newStore(), newStore()];
    await known.subscribe();
    const { webhook } = await unknown.subscribe();
    await known.createProduct();
    await eventually(() => known.calls().length === 1);
    const client = new pg.Client(system.databaseUrl('identity'));
    await client.connect();
    try {
      await client.query('begin; lock table api_key in access exclusive mode');
      const product = await unknown.createProduct();
      expect(await unknown.send('get', `/webhooks/${webhook.id}`)).toMatchObject({
        status: 503,
        body: { code: 'resource_unavailable' },
      });
      for (let nth = 2; nth <= 5; nth++) {
        await known.createProduct();
        await eventually(() => known.calls().length === nth);
      }
      expect(unknown.calls()).toEqual([]);
      await client.query('commit');
      await eventually(() => unknown.calls().length === 1);
      expect(unknown.calls().map(dataOf)).toEqual([product]);
    } finally {
      await client.end();
    }
  });
});

describe('a secret that is rotated', () => {
  const verifies = (secret: string, { headers, body }: ReceivedCall) => {
    try {
      new Webhook(secret).verify(body, headers as Record<string, string>);
      return true;
    } catch {
      return false;
    }
  };
  const oursOf = (secret: string, { headers, body }: ReceivedCall) => {
    const seconds = Math.floor(Date.parse(String(headers['x-wb-timestamp'])) / 1000);
    return `sha256=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;
  };
  /** The next call of a store's endpoint. */
  async function nextCall(store: ReturnType<typeof newStore>): Promise<ReceivedCall> {
    const before = store.calls().length;
    await store.createProduct();
    await eventually(() => store.calls().length > before);
    return store.calls().at(-1)!;
  }
  /** Whether each of these secrets verifies the next call, and what its two headers of ours are made with. */
  async function signedWith(store: ReturnType<typeof newStore>, secrets: string[]) {
    const call = await nextCall(store);
    const madeWith = (header: string) => {
      const signature = call.headers[header];
      return signature && secrets.findIndex((secret) => oursOf(secret, call) === signature);
    };
    return {
      verified: secrets.map((secret) => verifies(secret, call)),
      ours: [madeWith('x-wb-signature'), madeWith('x-wb-signature-next')],
    };
  }

  test('is beside the old one during the overlap, and alone when that is over', async () => {
    const store = newStore();
    const { webhook, secret: old } = await store.subscribe();
    const path = `/webhooks/${webhook.id}`;
    const before = Date.now();
    const rotated = await store.send('post', `${path}/rotate-secret`, { overlapHours: 2 });
    expect(rotated.status).toBe(200);
    const { secret: next, webhook: shown } = rotated.body;
    expect(next).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(next).not.toBe(old);
    const endsIn = Date.parse(shown.previousSecretExpiresAt) - before;
    expect(Math.abs(endsIn - 7_200_000)).toBeLessThan(60_000);
    expect((await store.send('get', path)).body).toEqual({ webhook: shown });
    expect(await signedWith(store, [old, next])).toEqual({ verified: [true, true], ours: [0, 1] });

    // What is replaced meanwhile keeps both.
    await store.send('put', path, { ...shown, description: 'Mine' });
    expect(await signedWith(store, [old, next])).toEqual({ verified: [true, true], ours: [0, 1] });

    const ago = `update webhook_endpoint set previous_secret_expires_at = now() where id = '${webhook.id}'`;
    await runSql(system, 'webhooks', ago);
    expect(await signedWith(store, [old, next])).toEqual({ verified: [false, true], ours: [1, undefined] });
    expect((await store.send('get', path)).body.webhook.previousSecretExpiresAt).toBeNull();
    expect((await store.send('post', `${path}/rotate-secret/finish`)).body.code).toBe('invalid_state');
  });

  test('cannot be rotated again during the overlap, but without one, or when it was finished', async () => {
    const store = newStore();
    const { webhook, secret: first } = await store.subscribe();
    const path = `/webhooks/${webhook.id}/rotate-secret`;
    expect((await store.send('post', `${path}/finish`)).body.code).toBe('invalid_state');
    // 24 hours where nothing is said, not even by an empty body.
    const { secret: second, webhook: shown } = (await store.send('post', path)).body;
    const hours = (Date.parse(shown.previousSecretExpiresAt) - Date.now()) / 3_600_000;
    expect(Math.round(hours)).toBe(24);
    for (const body of [{}, { overlapHours: 1 }]) {
      expect(await store.send('post', path, body)).toMatchObject({
        status: 409,
        body: { code: 'invalid_state' },
      });
    }
    const { secret: third, webhook: alone } = (await store.send('post', path, { overlapHours: 0 })).body;
    expect(alone.previousSecretExpiresAt).toBeNull();
    const all = [first, second, third];
    expect(await signedWith(store, all)).toMatchObject({ verified: [false, false, true] });

    const { secret: fourth } = (await store.send('post', path, { overlapHours: 168 })).body;
    expect(await signedWith(store, [third, fourth])).toMatchObject({ verified: [true, true] });
    const finished = await store.send('post', `${path}/finish`);
    expect(finished.body.webhook.previousSecretExpiresAt).toBeNull();
    expect(await signedWith(store, [third, fourth])).toMatchObject({ verified: [false, true] });
  });

  test('is in no other answer, sealed in the database, and the old one is gone from there with the overlap', async () => {
    const store = newStore();
    const { webhook, secret } = await store.subscribe();
    const path = `/webhooks/${webhook.id}`;
    const rotated = (await store.send('post', `${path}/rotate-secret`)).body.secret;
    const client = new pg.Client(system.databaseUrl('webhooks'));
    await client.connect();
    try {
      const read = async () =>
        (await client.query('select * from webhook_endpoint where id = $1', [webhook.id])).rows[0];
      expect((await read()).sealed_previous_secret).toMatch(/^[A-Za-z0-9_-]{80,}$/);
      for (const text of [JSON.stringify(await read()), (await store.send('get', path)).text]) {
        for (const each of [secret, rotated]) expect(text).not.toContain(each.slice(6));
      }
      await store.send('post', `${path}/rotate-secret/finish`);
      expect((await read()).sealed_previous_secret).toBeNull();
    } finally {
      await client.end();
    }
  });

  test('stays what it was where its answer cannot be made', async () => {
    const store = newStore();
    const { webhook } = await store.subscribe();
    const path = `/webhooks/${webhook.id}/rotate-secret`;
    const client = new pg.Client(system.databaseUrl('identity'));
    await client.connect();
    try {
      await client.query('begin; lock table api_key in access exclusive mode');
      expect((await store.send('post', path)).status).toBe(503);
      await client.query('commit');
    } finally {
      await client.end();
    }
    const rotated = await eventually(async () => {
      const res = await store.send('post', path);
      return res.status === 503 ? null : res;
    });
    expect(rotated.status).toBe(200);
  });

  test('400 for an overlap that is none, 404 for another store’s webhook', async () => {
    const store = newStore();
    const { webhook } = await store.subscribe();
    const path = `/webhooks/${webhook.id}/rotate-secret`;
    for (const overlapHours of [-1, 169, '24', null, [24]]) {
      expect((await store.send('post', path, { overlapHours })).body.code).toBe('invalid_body');
    }
    for (const each of [path, `${path}/finish`]) {
      expect((await newStore().send('post', each, {})).status).toBe(404);
    }
  });
});

describe('a test call', () => {
  const testOf = async (store: ReturnType<typeof newStore>, id: string, body?: object) =>
    store.send('post', `/webhooks/${id}/test`, body);
  const settled = (store: ReturnType<typeof newStore>, id: string, deliveryId: string) =>
    eventually(async () => {
      const { delivery } = (await store.send('get', `/webhooks/${id}/deliveries/${deliveryId}`)).body;
      return delivery.attempts.length > 0 && delivery;
    });

  test('carries the sample of the type, says that it is one, and is recorded as one', async () => {
    const store = newStore();
    const { webhook, secret } = await store.subscribe(['product.updated', 'product.created']);
    const { eventTypes } = (await store.send('get', '/event-types')).body;
    for (const [body, type] of [
      [undefined, webhook.events[0]],
      [{}, webhook.events[0]],
      [{ type: 'product.deleted' }, 'product.deleted'],
    ] as const) {
      const before = store.calls().length;
      const res = await testOf(store, webhook.id, body);
      expect(res).toMatchObject({
        status: 202,
        body: { delivery: { endpointId: webhook.id, eventType: type, isTest: true, attempt: 1 } },
      });
      const delivery = await settled(store, webhook.id, res.body.delivery.id);
      expect(delivery).toMatchObject({ status: 'delivered', isTest: true, nextAttemptAt: null });
      const call = store.calls().at(-1)!;
      expect(store.calls().length).toBe(before + 1);
      expect(call.headers).toMatchObject({ 'x-wb-test': '1', 'x-wb-attempt': '1', 'x-wb-event-type': type });
      const { sample } = eventTypes.find((each: { type: string }) => each.type === type);
      expect(new Webhook(secret).verify(call.body, call.headers as Record<string, string>)).toEqual({
        id: delivery.eventId,
        type,
        createdAt: delivery.createdAt,
        data: sample,
      });
    }
    await store.createProduct();
    await eventually(() => store.calls().length === 4);
    expect(store.calls().at(-1)!.headers).not.toHaveProperty('x-wb-test');
  });

  test('is made once, and does not count for failing; a disabled webhook is tested, too', async () => {
    const store = newStore();
    const { webhook } = await store.subscribe();
    answer(store.storeId, () => 500);
    const disabled = { url: store.url, events: ['product.created'], status: 'disabled' };
    expect((await store.send('put', `/webhooks/${webhook.id}`, disabled)).status).toBe(200);
    for (let n = 1; n <= 4; n++) {
      const { id } = (await testOf(store, webhook.id)).body.delivery;
      const delivery = await settled(store, webhook.id, id);
      expect(delivery).toMatchObject({
        status: 'dead',
        attempt: 1,
        lastStatusCode: 500,
        nextAttemptAt: null,
      });
    }
    expect(store.calls().length).toBe(4);
    expect(await store.status(webhook.id)).toBe('disabled');
    await store.send('put', `/webhooks/${webhook.id}`, { ...disabled, status: 'active' });
    for (let n = 1; n <= 4; n++) {
      await settled(store, webhook.id, (await testOf(store, webhook.id)).body.delivery.id);
    }
    expect(await store.status(webhook.id)).toBe('active');
    receiver.answer(200);
  });

  test('that a process had in flight when it ended is made by the next one, of a disabled webhook, too', async () => {
    const store = newStore();
    const { webhook } = await store.subscribe();
    const disabled = { url: store.url, events: ['product.created'], status: 'disabled' };
    await store.send('put', `/webhooks/${webhook.id}`, disabled);
    const held: ServerResponse[] = [];
    receiver.answer((call, res) => {
      if (call.path.startsWith(`/${store.storeId}`)) held.push(res);
      else res.end();
    });
    const { id } = (await testOf(store, webhook.id)).body.delivery;
    await eventually(() => held.length === 1);
    receiver.answer(200);
    const restarted = system.restart();
    for (const res of held) res.destroy();
    await restarted;
    // Broken off, it has failed; lost before that was told, it is made again.
    const delivery = await settled(store, webhook.id, id);
    expect(delivery.isTest).toBe(true);
    for (const { headers } of store.calls()) expect(headers['x-wb-test']).toBe('1');
  });

  test('tells what the webhook’s owner may read, as other calls do', async () => {
    const store = newStore();
    const { webhook } = await store.subscribe();
    await store.sendWithLess('put', `/webhooks/${webhook.id}`, {
      url: store.url,
      events: ['product.created'],
    });
    await testOf(store, webhook.id);
    await eventually(() => store.calls().length === 1);
    expect(JSON.parse(store.calls()[0]!.body).data).toEqual({
      product: { id: expect.stringMatching(/^prd_/) },
    });
  });

  test('400 for an unknown type, 404 for another store’s webhook, 429 for too many', async () => {
    const store = newStore();
    const { webhook } = await store.subscribe();
    for (const type of ['order.exploded', 5, null]) {
      expect((await testOf(store, webhook.id, { type })).body.code).toBe('invalid_event');
    }
    expect((await testOf(newStore(), webhook.id)).status).toBe(404);
    const all = await Promise.all(Array.from({ length: 40 }, () => testOf(store, webhook.id)));
    const refused = all.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(5);
    expect(refused[0]).toMatchObject({
      body: { code: 'rate_limited' },
      headers: { 'retry-after': expect.any(String) },
    });
    expect(all.filter(({ status }) => status === 202).length).toBe(40 - refused.length);
  });
});

describe('an app', () => {
  test('finds none of what there is about webhooks that it has not made', async () => {
    const store = newStore();
    const { webhook } = await store.subscribe();
    const { id } = (await store.send('post', `/webhooks/${webhook.id}/test`)).body.delivery;
    const path = `/webhooks/${webhook.id}`;
    const foreign: [method: 'get' | 'post', path: string][] = [
      ['post', `${path}/rotate-secret`],
      ['post', `${path}/rotate-secret/finish`],
      ['post', `${path}/test`],
      ['get', `${path}/stats`],
      ['get', `${path}/deliveries`],
      ['get', `${path}/deliveries/${id}`],
    ];
    for (const [method, each] of foreign) expect((await store.sendAsApp(method, each)).status).toBe(404);
    expect((await store.sendAsApp('get', '/event-types')).status).toBe(200);
    // Nothing has happened to it.
    expect((await store.send('get', path)).body).toEqual({ webhook });
  });
});

describe('the record of a delivery', () => {
  const attemptsOf = async (store: ReturnType<typeof newStore>, id: string, count: number) => {
    const [{ id: deliveryId }] = await eventually(async () => {
      const all = await store.deliveries(id);
      return all.length > 0 && all;
    });
    return eventually(async () => {
      const { body } = await store.send('get', `/webhooks/${id}/deliveries/${deliveryId}`);
      return body.delivery.attempts.length >= count && body.delivery.attempts;
    });
  };

  test('has of each attempt when, how long, and what was answered, without cookies', async () => {
    const store = newStore();
    const { webhook } = await store.subscribe();
    let nth = 0;
    receiver.answer((call, res) => {
      if (!call.path.startsWith(`/${store.storeId}`)) res.end();
      else if (++nth === 1) res.destroy();
      else if (nth === 2) {
        const cookies = ['sid=very-secret; HttpOnly', 'b=2'];
        res.writeHead(500, { 'content-type': 'text/plain', 'set-cookie': cookies, 'x-trace': 'abc' });
        res.end(`no such order ${'é'.repeat(40_000)}`);
      } else res.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from([0x89, 0x50, 0, 0xff]));
    });
    const before = Date.now();
    await store.createProduct();
    const attempts = await attemptsOf(store, webhook.id, 3);
    expect(attempts).toEqual([
      {
        attempt: 1,
        startedAt: expect.stringMatching(/Z$/),
        durationMs: expect.any(Number),
        statusCode: null,
        error: expect.stringMatching(/closed/),
        responseHeaders: null,
        responseBody: null,
      },
      expect.objectContaining({
        attempt: 2,
        statusCode: 500,
        responseHeaders: expect.objectContaining({ 'content-type': 'text/plain', 'x-trace': 'abc' }),
        responseBody: expect.stringMatching(/^no such order é+$/),
      }),
      expect.objectContaining({ attempt: 3, statusCode: 200, error: '', responseBody: null }),
    ]);
    expect(Buffer.byteLength(attempts[1].responseBody)).toBeLessThanOrEqual(1024);
    expect(JSON.stringify(attempts)).not.toMatch(/cookie|very-secret/);
    const times = attempts.map(({ startedAt }: { startedAt: string }) => Date.parse(startedAt));
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(times[0]).toBeGreaterThanOrEqual(before - 1000);
    receiver.answer(200);
  });

  test('of before replies were kept shows when its attempts began', async () => {
    const store = newStore();
    const { webhook } = await store.subscribe();
    await store.createProduct();
    await attemptsOf(store, webhook.id, 1);
    const old = JSON.stringify([
      { attempt: 1, statusCode: 200, error: '', durationMs: 1500, endedAt: '2026-11-20T10:00:01.500Z' },
    ]);
    const sql = `update webhook_delivery set attempt_log = '${old}' where endpoint_id = '${webhook.id}'`;
    await runSql(system, 'webhooks', sql);
    expect(await attemptsOf(store, webhook.id, 1)).toEqual([
      {
        ...{
          attempt: 1,
          startedAt: '2026-11-20T10:00:00.000Z',
          durationMs: 1500,
          statusCode: 200,
          error: '',
        },
        ...{ responseHeaders: null, responseBody: null },
      },
    ]);
  });
});

describe('the list of deliveries', () => {
  /** A store with one endpoint and so many deliveries, every third of them dead, every second of another type. */
  async function storeWith(count: number) {
    const store = newStore();
    const { webhook } = await store.subscribe();
    await runSql(
      system,
      'webhooks',
      `with delivery as (
         insert into webhook_delivery (store_id, id, endpoint_id, event_id, event_type, status)
         select '${store.storeId}', 'whd_' || lpad(n::text, 26, '0'), '${webhook.id}', 'evt_' || n,
           case n % 2 when 0 then 'product.created' else 'order.created' end,
           case n % 3 when 0 then 'dead' else 'delivered' end
         from generate_series(1, ${count}) n
         returning store_id, endpoint_id, status, id, created_at
       )
       insert into webhook_unsuccessful (store_id, endpoint_id, status, delivery_id, created_at)
       select * from delivery where status = 'dead'`,
    );
    const list = async (query = '') =>
      (await store.send('get', `/webhooks/${webhook.id}/deliveries?${query}`)).body;
    const pages = async (query: string) => {
      const ids: string[] = [];
      let after: string | null = '';
      for (let page = 0; after !== null && page < 100; page++) {
        const body: { deliveries: { id: string }[]; nextCursor: string | null } = await list(
          `${query}${after && `&after=${after}`}`,
        );
        ids.push(...body.deliveries.map(({ id }) => id));
        after = body.nextCursor;
      }
      return ids;
    };
    return { ...store, webhook, list, pages };
  }
  const idOf = (n: number) => `whd_${String(n).padStart(26, '0')}`;
  const numbers = (count: number) => Array.from({ length: count }, (_, i) => count - i);

  test('can be read to its end, newest first, also while new ones come', async () => {
    const store = await storeWith(25);
    expect(await store.pages('limit=7')).toEqual(numbers(25).map(idOf));
    const first = await store.list('limit=10');
    expect(first.total).toBe(25);
    await store.createProduct();
    await eventually(async () => (await store.list()).total === 26);
    const second = await store.list(`limit=15&after=${first.nextCursor}`);
    expect(second.deliveries.map(({ id }: { id: string }) => id)).toEqual(numbers(15).map(idOf));
    expect(second).toMatchObject({ total: 26, nextCursor: null });
    expect(await store.list('limit=26')).toMatchObject({ nextCursor: null });
  });

  test('shows what is asked for; what is no value of a filter is ignored', async () => {
    const store = await storeWith(24);
    expect(await store.pages('limit=3&status=dead')).toEqual(
      numbers(24)
        .filter((n) => n % 3 === 0)
        .map(idOf),
    );
    expect(await store.pages('limit=3&status=dead&eventType=order.created')).toEqual(
      numbers(24)
        .filter((n) => n % 6 === 3)
        .map(idOf),
    );
    expect(await store.list('eventId=evt_7')).toMatchObject({ deliveries: [{ id: idOf(7) }], total: 1 });
    expect(await store.list('eventId=evt_700')).toEqual({ deliveries: [], total: 0, nextCursor: null });
    for (const query of ['status=lost', 'eventType=order.exploded', 'eventId=7', 'status=', 'eventId=%00']) {
      expect((await store.list(query)).total).toBe(24);
    }
  });

  test('refuses a cursor that is malformed, or of another list', async () => {
    const [store, other] = [await storeWith(4), await storeWith(4)];
    const { nextCursor } = await store.list('limit=1');
    const filtered = (await store.list('limit=1&status=delivered')).nextCursor;
    const invalid = { code: 'invalid_cursor' };
    for (const after of ['', 'x', '%00', nextCursor.slice(1), filtered, idOf(2)]) {
      expect(await store.list(`after=${after}`)).toMatchObject(invalid);
    }
    expect(await store.list(`status=dead&after=${filtered}`)).toMatchObject(invalid);
    expect(await other.list(`after=${nextCursor}`)).toMatchObject(invalid);
    // Of the same list, however long its pages.
    expect((await store.list(`limit=3&after=${nextCursor}`)).deliveries.length).toBe(3);
  });
});

describe('the stats of a webhook', () => {
  test('count attempts by how they ended and how long they took, and what waits', async () => {
    const store = newStore();
    const { webhook } = await store.subscribe();
    const stats = async (query = '') =>
      (await store.send('get', `/webhooks/${webhook.id}/stats${query}`)).body.stats;
    const none = { delivered: 0, failed: 0, pending: 0, p50Ms: null, p95Ms: null };
    const empty = await stats();
    expect(empty).toMatchObject(none);
    expect(empty.buckets.length).toBe(24);
    let isHeld = false;
    const held: ServerResponse[] = [];
    receiver.answer((call, res) => {
      if (!call.path.startsWith(`/${store.storeId}`)) res.end();
      else if (isHeld) held.push(res);
      else res.writeHead(call.headers['x-wb-attempt'] === '1' ? 500 : 200).end();
    });
    for (let n = 0; n < 3; n++) await store.createProduct();
    await eventually(async () => (await stats()).delivered === 3);
    isHeld = true;
    await store.createProduct();
    await eventually(() => held.length === 1);
    const seen = await stats('?hours=2');
    expect(seen).toMatchObject({ delivered: 3, failed: 3, pending: 1 });
    expect(seen.p50Ms).toBeLessThanOrEqual(seen.p95Ms);
    expect(seen.p95Ms).toBeLessThan(10_000);
    expect(seen.buckets.length).toBe(2);
    const sum = (of: 'delivered' | 'failed') =>
      seen.buckets.reduce((all: number, bucket: Record<string, number>) => all + bucket[of]!, 0);
    expect([sum('delivered'), sum('failed')]).toEqual([3, 3]);
    for (const { start } of seen.buckets) expect(start).toMatch(/T\d\d:00:00\.000Z$/);
    receiver.answer(200);
    for (const res of held) res.end();
    await eventually(async () => (await stats()).pending === 0);
    expect((await stats('?hours=99999')).buckets.length).toBe(720);
    for (const query of ['?hours=0', '?hours=x', '?hours=-1'])
      expect((await stats(query)).buckets.length).toBe(24);
    expect((await newStore().send('get', `/webhooks/${webhook.id}/stats`)).status).toBe(404);
  });

  test('leave out what ended before', async () => {
    const store = newStore();
    const { webhook } = await store.subscribe();
    await runSql(
      system,
      'webhooks',
      `insert into webhook_attempt_count
       select '${store.storeId}', '${webhook.id}', date_trunc('hour', now()) - make_interval(hours => ago), true, 53, 7
       from unnest(array[0, 1, 23, 24, 719, 720]) ago`,
    );
    const delivered = async (hours: number) =>
      (await store.send('get', `/webhooks/${webhook.id}/stats?hours=${hours}`)).body.stats.delivered;
    expect(await Promise.all([1, 2, 23, 24, 25, 719, 720].map(delivered))).toEqual([
      7, 14, 14, 21, 28, 28, 35,
    ]);
  });
});

describe('POST /internal/events', () => {
  const publish = (token: string, body: object) =>
    request(system.internalUrl).post('/internal/events').set('authorization', `Bearer ${token}`).send(body);

  test('delivers what a first-party application sends, once for an id', async () => {
    const store = newStore();
    await store.subscribe(['course.enrolled']);
    const event = {
      storeId: store.storeId,
      type: 'course.enrolled',
      data: { course: 'x', n: 1 },
      id: 'evt_course1',
    };
    for (let i = 0; i < 3; i++) expect((await publish(system.serviceToken, event)).status).toBe(202);
    await publish(system.serviceToken, { ...event, id: 'evt_course2' });
    await eventually(() => store.calls().length === 2);
    expect(
      store
        .calls()
        .map(({ body }) => JSON.parse(body).id)
        .sort(),
    ).toEqual(['evt_course1', 'evt_course2']);
    expect(JSON.parse(store.calls()[0]!.body).data).toEqual({ course: 'x', n: 1 });
  });

  test('401 without the service token, 400 for what is no event of the catalogue', async () => {
    const event = { storeId: newStore().storeId, type: 'course.enrolled', data: {} };
    expect((await publish('guess', event)).status).toBe(401);
    expect((await publish(system.serviceToken, { ...event, type: 'course.x' })).body.code).toBe(
      'invalid_event',
    );
    expect((await publish(system.serviceToken, { ...event, data: [] })).body.code).toBe('invalid_body');
  });
});

describe('fifty endpoints of one store', () => {
  test('are all called with a large product, while other stores’ events arrive as ever', async () => {
    const [large, other] = [newStore(), newStore()];
    await other.subscribe();
    await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        large.send('post', '/webhooks', { url: `${large.url}/${n}`, events: ['product.updated'] }),
      ),
    );
    const data = { product: { id: 'prd_1', description: 'x'.repeat(450_000) } };
    const changes = 15;
    const sent = Promise.all(
      Array.from({ length: changes }, () =>
        request(system.internalUrl)
          .post('/internal/events')
          .set('authorization', `Bearer ${system.serviceToken}`)
          .send({ storeId: large.storeId, type: 'product.updated', data }),
      ),
    );
    await other.createProduct();
    await eventually(() => other.calls().length === 1);
    expect((await sent).map(({ status }) => status)).toEqual(Array(changes).fill(202));
    // Where a machine is busy a call may pass its deadline, and be made once more.
    const distinct = () =>
      new Set(large.calls().map(({ path, headers }) => `${path} ${headers['webhook-id']}`));
    await eventually(() => distinct().size === 50 * changes);
    expect(JSON.parse(large.calls()[0]!.body).data).toEqual(data);
  });
});

describe('an endpoint that fails fast', () => {
  test('is called as one that does not: its next call waits for nobody that hangs', async () => {
    const [hanging, failing] = [newStore(), newStore()];
    await hanging.subscribe();
    await failing.subscribe();
    let nth = 0;
    receiver.answer((call, res) => {
      if (call.path.startsWith(`/${failing.storeId}`)) res.writeHead(++nth === 1 ? 500 : 200).end();
    });
    for (let i = 0; i < 10; i++) await hanging.createProduct();
    await failing.createProduct();
    await eventually(() => failing.calls().length === 2);
    receiver.answer(200);
  });
});

describe('an endpoint that hangs', () => {
  test('does not hold up another: its calls keep few places, the other gets all of its own', async () => {
    const [slow, healthy] = [newStore(), newStore()];
    await slow.subscribe();
    await healthy.subscribe();
    receiver.answer((call, res) => {
      if (call.path.startsWith(`/${healthy.storeId}`)) res.end();
    });
    for (let i = 0; i < 30; i++) await slow.createProduct();
    for (let i = 0; i < 30; i++) await healthy.createProduct();
    await eventually(() => healthy.calls().length === 30);
    expect(slow.calls().length).toBeLessThanOrEqual(8);
    receiver.answer(200);
  });
});

describe('a burst of more calls than may be in flight', () => {
  /** A store whose endpoint has answered so many calls that more may be in flight, and some wait in memory. */
  async function grownStore(type = 'course.enrolled') {
    const store = newStore();
    const { webhook } = await store.subscribe([type]);
    let sent = 0;
    const burst = async (count: number) => {
      const all = Array.from({ length: count }, () =>
        request(system.internalUrl)
          .post('/internal/events')
          .set('authorization', `Bearer ${system.serviceToken}`)
          .send({
            storeId: store.storeId,
            type,
            data: { n: sent, product: { id: `prd_${sent++}`, name: 'Tea' } },
          }),
      );
      for (const { status } of await Promise.all(all)) expect(status).toBe(202);
    };
    const settled = async (count: number) => {
      const { body } = await store.send('get', `/webhooks/${webhook.id}/deliveries?limit=200`);
      return (
        body.deliveries.filter(({ status }: { status: string }) => status === 'delivered').length === count
      );
    };
    await burst(40);
    await eventually(() => settled(40));
    return { ...store, webhook, burst, settled };
  }
  /** A hundred calls, none of them answered before what is given here is called. */
  async function heldBurst(
    store: Awaited<ReturnType<typeof grownStore>>,
    end: (res: ServerResponse) => void,
  ): Promise<() => void> {
    const held: ServerResponse[] = [];
    receiver.answer((call, res) => {
      if (call.path.startsWith(`/${store.storeId}`)) held.push(res);
      else res.end();
    });
    await store.burst(100);
    await eventually(() => held.length > 0);
    return () => {
      receiver.answer(200);
      held.forEach(end);
    };
  }
  const numbers = (calls: ReceivedCall[]) => calls.map(({ body }) => JSON.parse(body).data.n as number);

  test('arrives whole, each call once', async () => {
    const store = await grownStore();
    await store.burst(150);
    await eventually(() => store.settled(190));
    expect(numbers(store.calls()).sort((a, b) => a - b)).toEqual(Array.from({ length: 190 }, (_, n) => n));
    expect(new Set(store.calls().map(({ headers }) => headers['x-wb-attempt']))).toEqual(new Set(['1']));
  });

  test('ends where its endpoint is disabled: what waits is not called, also when it is enabled again', async () => {
    const store = await grownStore();
    const answerHeld = await heldBurst(store, (res) => res.end());
    const put = (status: string) =>
      store.send('put', `/webhooks/${store.webhook.id}`, {
        url: store.url,
        events: ['course.enrolled'],
        status,
      });
    expect((await put('disabled')).status).toBe(200);
    expect((await put('active')).status).toBe(200);
    answerHeld();
    await store.burst(1);
    await eventually(() => numbers(store.calls()).includes(140));
    await eventually(async () => {
      const { body } = await store.send('get', `/webhooks/${store.webhook.id}/deliveries?limit=200`);
      return body.deliveries.every(({ status }: { status: string }) => status !== 'pending');
    });
    // It starts at 8 and has grown by one with each of the 40.
    const inFlight = new Set(numbers(store.calls()).filter((n) => n >= 40 && n < 140));
    expect(inFlight.size).toBeLessThanOrEqual(48);
  });

  test('tells those who may not read any more ids alone, also what had waited by then', async () => {
    const store = await grownStore('product.created');
    const answerHeld = await heldBurst(store, (res) => res.end());
    await store.removeCreator();
    answerHeld();
    await eventually(() => store.settled(140));
    const told = store.calls().map(({ body }) => JSON.parse(body).data);
    // It starts at 8 and has grown by one with each of the 40: so many were on their way.
    expect(told.filter(({ n }) => n !== undefined).length).toBeLessThanOrEqual(88);
    const reduced = told.filter(({ n }) => n === undefined);
    expect(reduced.length).toBeGreaterThanOrEqual(52);
    for (const data of reduced) expect(data).toEqual({ product: { id: expect.stringMatching(/^prd_/) } });
    expect(new Set(told.map(({ product }) => product.id)).size).toBe(140);
  });

  test('goes on after a restart with what waited', async () => {
    const store = await grownStore();
    const breakHeldOff = await heldBurst(store, (res) => res.destroy());
    const restarted = system.restart();
    breakHeldOff();
    await restarted;
    await eventually(() => new Set(numbers(store.calls())).size === 140);
  });
});

describe('a restart', () => {
  test('in good order lets the calls in flight end and makes none of them again', async () => {
    const store = newStore();
    const { webhook } = await store.subscribe();
    const held: ServerResponse[] = [];
    receiver.answer((call, res) => {
      if (call.path.startsWith(`/${store.storeId}`)) held.push(res);
      else res.end();
    });
    for (let n = 0; n < 12; n++) await store.createProduct(`Held ${n}`);
    // A window of calls in flight; the others wait.
    await eventually(() => held.length === 8);
    let isDoorClosed = false;
    const { internalUrl } = system;
    const restarted = system.restart();
    await eventually(async () => {
      isDoorClosed ||= await fetch(`${internalUrl}/health/live`).then(
        () => false,
        () => true,
      );
      return isDoorClosed;
    });
    receiver.answer(200);
    // One after the other: whatever is stopped when, some end after it.
    for (const [n, res] of held.entries()) setTimeout(() => res.end(), 300 * n);
    await restarted;
    await eventually(async () => {
      const all: { status: string }[] = await store.deliveries(webhook.id);
      return all.length === 12 && all.every(({ status }) => status === 'delivered');
    });
    const attempts = store.calls().map(({ headers }) => [headers['x-wb-event-id'], headers['x-wb-attempt']]);
    expect(attempts).toHaveLength(12);
  });

  test('hands over again what the process before had in flight', async () => {
    const store = newStore();
    await store.subscribe();
    answer(store.storeId, () => 503);
    await store.createProduct('Kept');
    await eventually(() => store.calls().length > 0);
    answer(store.storeId, () => 200);
    await system.restart();
    await eventually(() => store.calls().length > 1);
    expect(JSON.parse(store.calls().at(-1)!.body).data.product.name).toBe('Kept');
  });
});
