import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { eventually, listMailsTo, runSql, shiftTimes } from '@waybill/testing';
import { Webhook } from 'standardwebhooks';
import request from 'supertest';
import { creator, owner, startWebhooks, type Webhooks } from './webhook-stores.ts';

let hooks: Webhooks;
let system: Webhooks['system'];
let receiver: Webhooks['receiver'];
let newStore: Webhooks['newStore'];
let answer: Webhooks['answer'];
beforeAll(async () => {
  hooks = await startWebhooks();
  ({ system, receiver, newStore, answer } = hooks);
});
afterAll(() => hooks.stop());

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

    // A read-modify-write of a failing endpoint is accepted and keeps its status.
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
    const listMails = async (email: string) =>
      (await listMailsTo(system.dataDir, email)).flatMap((mail) =>
        mail.includes(webhook.id) ? /^Subject: (.*)\r$/m.exec(mail)![1] : [],
      );
    const failing = 'Shop: a webhook is failing';
    const lost = 'Shop: a webhook call was given up';
    await store.createProduct();
    await eventually(async () => (await listMails(owner.email)).length === 1);

    for (const nth of [0, 1]) {
      await store.createProduct();
      await eventually(async () => (await isDead(0)) && (await isDead(nth + 1)));
    }
    await runSql(
      system,
      'webhooks',
      `update webhook_endpoint set ${shiftTimes('told_dead_at', '1 day')},
         ${shiftTimes('told_failing_at', '1 day')} where id = '${webhook.id}'`,
    );
    await store.createProduct();
    // If another one of the day had caused a mail, that mail would have come before this one.
    await eventually(async () => (await listMails(owner.email)).length > 1);
    expect(await listMails(owner.email)).toHaveLength(2);
    for (const subject of await listMails(owner.email)) expect([failing, lost]).toContain(subject);
    // The admin's address is not verified.
    expect(await listMails(creator.email)).toEqual([]);
  });
});

describe('a disabled or deleted endpoint', () => {
  test('gets nothing; what waited is cancelled; enabled again it gets what is new', async () => {
    const store = newStore();
    const { webhook } = await store.subscribe();
    // Only once: on a slow machine, all seven attempts would end before the endpoint is disabled.
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
    // The recipients of an event are determined when it is fanned out: a second endpoint shows when that is done.
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
      error: 'This event type does not exist: "order.exploded".',
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

  test('is not made before its record is there for all, however long that takes to be committed', async () => {
    const store = newStore();
    const { webhook } = await store.subscribe();
    const slow = `
      create function commit_slowly() returns trigger language plpgsql as 'begin perform pg_sleep(0.3); return null; end';
      create constraint trigger slow after insert on idempotent_answer deferrable initially deferred
        for each row execute function commit_slowly();`;
    await runSql(system, 'webhooks', slow);
    const key = { 'idempotency-key': 'tried' };
    const { body } = await store.send('post', `/webhooks/${webhook.id}/test`, {}, key);
    await runSql(system, 'webhooks', 'drop function commit_slowly cascade');
    expect(await settled(store, webhook.id, body.delivery.id)).toMatchObject({ status: 'delivered' });
    const again = await store.send('post', `/webhooks/${webhook.id}/test`, {}, key);
    expect(again.body).toEqual(body);
    expect(store.calls().length).toBe(1);
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
    // An aborted call has failed; if that was not recorded, the call is made again.
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
    // Nothing about it has changed.
    expect((await store.send('get', path)).body).toEqual({ webhook });
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

  test('delivers several events at once, and none where one of them is wrong', async () => {
    const store = newStore();
    await store.subscribe(['course.enrolled']);
    const events = Array.from({ length: 1_000 }, (_, n) => ({
      storeId: store.storeId,
      type: 'course.enrolled',
      data: { n },
      id: `evt_many${n}`,
    }));
    const wrong = [...events.slice(0, 2), { ...events[2], type: 'course.x' }, { ...events[3], data: 1 }];
    expect((await publish(system.serviceToken, { events: wrong.slice(0, 3) })).body).toMatchObject({
      code: 'invalid_event',
      details: [{ pointer: '/events/2/type' }],
    });
    expect((await publish(system.serviceToken, { events: wrong })).body).toMatchObject({
      code: 'invalid_body',
      details: [{ pointer: '/events/3/data' }],
    });
    for (const none of [{ events: [] }, { events: [...events, events[0]] }, {}])
      expect((await publish(system.serviceToken, none)).body.code).toBe('invalid_body');

    const reply = await publish(system.serviceToken, { events });
    expect(reply.status).toBe(202);
    expect(reply.body.events).toEqual(events.map(({ id, type }) => ({ id, type })));
    await eventually(() => store.calls().length === 1_000);
  });

  test('takes 8 MiB, and refuses more', async () => {
    const { storeId } = newStore();
    const of = (bytes: number) => ({ storeId, type: 'course.enrolled', data: { text: 'x'.repeat(bytes) } });
    expect((await publish(system.serviceToken, of(7 * 1024 * 1024))).status).toBe(202);
    const reply = await publish(system.serviceToken, of(8 * 1024 * 1024));
    expect(reply).toMatchObject({ status: 413, body: { code: 'body_too_large' } });
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
