import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { amqpUrl, eventually, runSql } from '@waybill/testing';
import { connect } from 'amqplib';
import { startWebhooks, type Webhooks } from './webhook-stores.ts';

let hooks: Webhooks;
let receiver: Webhooks['receiver'];
let newStore: Webhooks['newStore'];
beforeAll(async () => {
  hooks = await startWebhooks([`127.0.0.1/32:${new URL(amqpUrl).port || 5672}`]);
  ({ receiver, newStore } = hooks);
});
afterAll(() => hooks.stop());

type Store = ReturnType<Webhooks['newStore']>;
const create = async (store: Store, settings: object = {}) =>
  store.send('post', '/webhooks', { url: store.url, events: ['product.created'], ...settings });
const created = async (store: Store, settings: object = {}) => {
  const res = await create(store, settings);
  expect(res.body).toHaveProperty('webhook');
  return res.body.webhook as { id: string } & Record<string, unknown>;
};
const replace = (store: Store, id: string, changes: object) =>
  store.send('put', `/webhooks/${id}`, { url: store.url, events: ['product.created'], ...changes });
const pointers = (res: { body: { code?: string; details?: { pointer: string }[] } }) => [
  res.body.code,
  ...(res.body.details ?? []).map(({ pointer }) => pointer),
];
const calledWith = async (store: Store, count = 1) => {
  await eventually(() => store.calls().length >= count);
  return store.calls();
};
const deliveryOf = async (store: Store, id: string, count = 1) => {
  const all = await eventually(async () => {
    const found = await store.deliveries(id);
    return found.length >= count && found;
  });
  return all as { id: string; status: string; attempt: number }[];
};

const readCertificate = (file: string) =>
  readFileSync(new URL(`../../services/delivery/test/certificates/${file}`, import.meta.url), 'utf8');
const identity = { certificate: readCertificate('receiver.crt'), key: readCertificate('receiver.key') };

const defaults = {
  filter: null,
  headers: {},
  secretHeaders: [],
  maxPerSecond: null,
  retryDelays: null,
  ordering: null,
  batch: null,
  format: 'envelope',
  honorsRetryAfter: false,
  stopsOnGone: false,
  failureAlerts: null,
  disableAfterDays: null,
  clientCertificate: null,
  destination: { kind: 'http' },
};

describe('the settings of a webhook', () => {
  test('have defaults, and stay where a PUT leaves them out', async () => {
    const store = newStore();
    expect(await created(store)).toMatchObject(defaults);
    const settings = {
      filter: [{ path: 'data.product.name', op: 'is', value: 'Tea' }],
      headers: { 'X-Tenant': 'seven', Authorization: 'Bearer s3cret' },
      secretHeaders: ['authorization'],
      maxPerSecond: 20,
      retryDelays: [1, 2],
      ordering: 'resource',
      format: 'cloudevents',
      honorsRetryAfter: true,
      stopsOnGone: true,
      failureAlerts: { percent: 50, minutes: 60 },
      disableAfterDays: 3,
    };
    const shown = { ...settings, headers: { 'X-Tenant': 'seven', Authorization: '***' } };
    const webhook = await created(store, settings);
    expect(webhook).toMatchObject(shown);
    const replaced = await replace(store, webhook.id, { description: 'x' });
    expect(replaced.body.webhook).toMatchObject(shown);
    const again = await replace(store, webhook.id, replaced.body.webhook);
    expect(again.body.webhook).toEqual(replaced.body.webhook);
    const off = await replace(store, webhook.id, { ...defaults, clientCertificate: null });
    expect(off.body.webhook).toMatchObject(defaults);
  });

  test('keep what an object of a PUT omits, and ask for all members of a new object', async () => {
    const store = newStore();
    const alerts = { percent: 20, minutes: 60 };
    const webhook = await created(store, {
      failureAlerts: alerts,
      batch: { maxEvents: 5, maxSeconds: 10 },
      clientCertificate: identity,
    });
    const { certificate } = identity;
    const shown = {
      failureAlerts: alerts,
      batch: { maxEvents: 5, maxSeconds: 10 },
      clientCertificate: { certificate },
    };
    const empty = { failureAlerts: {}, batch: {}, clientCertificate: {}, destination: {} };
    expect((await replace(store, webhook.id, empty)).body.webhook).toMatchObject(shown);
    const changed = await replace(store, webhook.id, {
      failureAlerts: { percent: 50 },
      batch: { maxSeconds: 30, note: 'ignored' },
      clientCertificate: { key: identity.key },
    });
    expect(changed.body.webhook).toMatchObject({
      failureAlerts: { percent: 50, minutes: 60 },
      clientCertificate: { certificate },
    });
    expect(changed.body.webhook.batch).toEqual({ maxEvents: 5, maxSeconds: 30 });
    await replace(store, webhook.id, { failureAlerts: null, batch: null, clientCertificate: null });
    const partial = {
      failureAlerts: { percent: 50 },
      batch: { maxEvents: 5 },
      clientCertificate: { key: 'x' },
    };
    const missing = ['/failureAlerts/minutes', '/batch/maxSeconds', '/clientCertificate/certificate'];
    for (const res of [await replace(store, webhook.id, partial), await create(store, partial)])
      expect([res.status, ...pointers(res).toSorted()]).toEqual([400, ...missing.toSorted(), 'invalid_body']);
  });

  test('keep what a destination of a PUT omits while its kind stays', async () => {
    const store = newStore();
    const rabbitmq = { kind: 'rabbitmq', url: 'amqp://ada:***@1.1.1.1:5672', exchange: 'a', routingKey: 'b' };
    const { id } = await created(store, { destination: { ...rabbitmq, url: 'amqp://ada:pw@1.1.1.1' } });
    const change = async (destination: object) => (await replace(store, id, { destination })).body;
    expect((await change({ kind: 'rabbitmq', exchange: 'x' })).webhook.destination).toEqual({
      ...rabbitmq,
      exchange: 'x',
    });
    expect((await change({ routingKey: 'y' })).webhook.destination).toEqual({
      ...rabbitmq,
      exchange: 'x',
      routingKey: 'y',
    });
    expect(pointers({ body: await change({ url: 'amqp://eve:***@1.1.1.1' }) })).toEqual([
      'invalid_body',
      '/destination/url',
    ]);
    expect(pointers({ body: await change({ kind: 'sqs', region: 'eu-west-1' }) })).toEqual([
      'invalid_body',
      '/destination/queueUrl',
      '/destination/accessKeyId',
    ]);
    expect((await change({ kind: 'http' })).webhook).toMatchObject({
      url: store.url,
      destination: { kind: 'http' },
    });
    expect(pointers(await create(store, { destination: { exchange: 'x' } }))).toEqual([
      'invalid_body',
      '/destination/kind',
    ]);
  });

  test.each([21, 80, 443, 5671])('keep the port %d of a queue of RabbitMQ', async (port) => {
    const destination = {
      kind: 'rabbitmq',
      url: `amqp://ada:pw@1.1.1.1:${port}/shop`,
      exchange: '',
      routingKey: 'q',
    };
    expect((await created(newStore(), { destination })).destination).toMatchObject({
      url: `amqp://ada:***@1.1.1.1:${port}/shop`,
    });
  });

  test('are refused with all problems at once', async () => {
    const store = newStore();
    const wrong = { headers: { Host: 'a' }, batch: { maxEvents: 2, maxSeconds: 1 }, ordering: 'resource' };
    expect(pointers(await store.send('post', '/webhooks', { url: 'ftp://x', ...wrong }))).toEqual([
      'no_events',
      '/events',
      '/url',
      '/headers/Host',
      '/batch',
    ]);
    expect(pointers(await store.send('post', '/webhooks', {}))).toEqual(['no_events', '/events', '/url']);
    const { id } = await created(store);
    const replaced = await replace(store, id, { url: 'ftp://x', status: 'off', batch: { maxEvents: 2 } });
    expect(pointers(replaced)).toEqual(['invalid_status', '/status', '/url', '/batch/maxSeconds']);
    // The address is needed unless calls go to a queue, which this body does not tell.
    expect(pointers(await create(store, { url: undefined, destination: { kind: 'kafka' } }))).toEqual([
      'invalid_body',
      '/destination/kind',
    ]);
    const since = { since: '', until: 'yesterday', statuses: ['lost'] };
    expect(pointers(await store.send('post', `/webhooks/${id}/replay`, since))).toEqual([
      'invalid_status',
      '/statuses/0',
      '/since',
      '/until',
    ]);
  });

  test.each<[string, object, string]>([
    ['filter', { filter: [] }, '/filter'],
    ['filter', { filter: [{ path: 'product.id', op: 'is', value: 1 }] }, '/filter/0/path'],
    ['filter', { filter: [{ path: 'data.x', op: 'above', value: 'tall' }] }, '/filter/0/value'],
    ['filter', { filter: [{ path: 'data.x', op: 'like', value: 'a' }] }, '/filter/0/op'],
    ['headers', { headers: { 'Content-Type': 'text/plain' } }, '/headers/Content-Type'],
    ['headers', { headers: { 'x-wb-signature': 'a' } }, '/headers/x-wb-signature'],
    ['headers', { headers: { 'Webhook-Id': 'a' } }, '/headers/Webhook-Id'],
    ['headers', { headers: { Host: 'a' } }, '/headers/Host'],
    ['headers', { headers: { Connection: 'close' } }, '/headers/Connection'],
    ['headers', { headers: { 'X-A': ' a' } }, '/headers/X-A'],
    ['headers', { headers: { 'X-A': 'ä' } }, '/headers/X-A'],
    ['headers', { headers: { 'X-A': 'a\nb' } }, '/headers/X-A'],
    ['headers', { headers: { 'X A': 'a' } }, '/headers/X A'],
    ['headers', { headers: { 'X-A': '1', 'x-a': '2' } }, '/headers/x-a'],
    ['headers', { headers: { 'X-A': '***' } }, '/headers/X-A'],
    ['headers', { headers: { 'X-A': '***' }, secretHeaders: ['X-A'] }, '/headers/X-A'],
    [
      'headers',
      { headers: Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`X-${i}`, 'a'])) },
      '/headers',
    ],
    ['maxPerSecond', { maxPerSecond: 0 }, '/maxPerSecond'],
    ['maxPerSecond', { maxPerSecond: 1.5 }, '/maxPerSecond'],
    ['maxPerSecond', { maxPerSecond: 1001 }, '/maxPerSecond'],
    ['retryDelays', { retryDelays: [0] }, '/retryDelays/0'],
    ['retryDelays', { retryDelays: Array(11).fill(1) }, '/retryDelays'],
    ['retryDelays', { retryDelays: [604_801] }, '/retryDelays/0'],
    ['ordering', { ordering: 'time' }, '/ordering'],
    ['batch', { batch: { maxEvents: 1, maxSeconds: 1 } }, '/batch/maxEvents'],
    ['batch', { batch: { maxEvents: 2, maxSeconds: 61 } }, '/batch/maxSeconds'],
    ['batch', { batch: { maxEvents: 2, maxSeconds: 1 }, ordering: 'resource' }, '/batch'],
    ['batch', { batch: { maxEvents: 2, maxSeconds: 1 }, format: 'cloudevents' }, '/batch'],
    ['format', { format: 'xml' }, '/format'],
    [
      'clientCertificate',
      { clientCertificate: { certificate: 'x', key: 'y' } },
      '/clientCertificate/certificate',
    ],
    ['clientCertificate', { clientCertificate: { certificate: 'x' } }, '/clientCertificate/key'],
    ['destination', { destination: { kind: 'kafka' } }, '/destination/kind'],
    ['destination', { destination: { kind: 'rabbitmq', exchange: '', routingKey: 'q' } }, '/destination/url'],
    ['failureAlerts', { failureAlerts: { percent: 0, minutes: 5 } }, '/failureAlerts/percent'],
    ['disableAfterDays', { disableAfterDays: 31 }, '/disableAfterDays'],
  ])('refuse a wrong %s: %j', async (_, settings, pointer) => {
    const res = await create(newStore(), settings);
    expect([res.status, ...pointers(res)]).toEqual([400, 'invalid_body', pointer]);
  });

  test('a queue on a forbidden host is refused, and its secret is sealed', async () => {
    const store = newStore();
    const rabbitmq = (host: string) => ({
      destination: { kind: 'rabbitmq', url: `amqp://ada:pw@${host}/`, exchange: '', routingKey: 'q' },
    });
    for (const host of ['10.0.0.1', '169.254.169.254:80', '0x7f.1', '[::1]'])
      expect((await create(store, rabbitmq(host))).body.code).toBe('blocked_url');
    const sqs = {
      kind: 'sqs',
      queueUrl: 'http://169.254.169.254/q',
      region: 'eu-west-1',
      accessKeyId: 'A',
      secretAccessKey: 's3cret',
    };
    expect((await create(store, { destination: sqs })).body.code).toBe('blocked_url');
    const webhook = await created(store, { url: undefined, ...rabbitmq('1.1.1.1') });
    expect(webhook).toMatchObject({
      url: null,
      destination: { kind: 'rabbitmq', url: 'amqp://ada:***@1.1.1.1:5672', exchange: '', routingKey: 'q' },
    });
    const replaced = await store.send('put', `/webhooks/${webhook.id}`, webhook);
    expect(replaced.body.webhook.destination).toEqual(webhook.destination);
    const moved = await replace(
      store,
      webhook.id,
      rabbitmq('1.0.0.1').destination && {
        destination: { ...rabbitmq('1.0.0.1').destination, url: 'amqp://ada:***@1.0.0.1/' },
      },
    );
    expect(pointers(moved)).toEqual(['invalid_body', '/destination/url']);
  });
});

describe('headers of a webhook', () => {
  test('go out, secret ones sealed, and never to another host without being sent anew', async () => {
    const store = newStore();
    const settings = {
      headers: { 'X-Tenant': 'seven', Authorization: 'Bearer s3cret', 'User-Agent': 'Mine/1' },
      secretHeaders: ['Authorization'],
    };
    const webhook = await created(store, settings);
    await store.createProduct();
    const [call] = await calledWith(store);
    expect(call!.headers).toMatchObject({
      'x-tenant': 'seven',
      authorization: 'Bearer s3cret',
      'user-agent': 'Mine/1',
      'content-type': 'application/json',
    });
    const [delivery] = await deliveryOf(store, webhook.id);
    const record = await eventually(async () => {
      const { body } = await store.send('get', `/webhooks/${webhook.id}/deliveries/${delivery!.id}`);
      return body.delivery.attempts.length > 0 && body.delivery;
    });
    expect(record.request).toEqual({ url: store.url, body: call!.body });
    expect(record.attempts[0].requestHeaders).toMatchObject({
      Authorization: '***',
      'X-Tenant': 'seven',
      'X-WB-Signature': call!.headers['x-wb-signature'],
    });
    const less = await store.sendWithLess('get', `/webhooks/${webhook.id}/deliveries/${delivery!.id}`);
    expect(less.body.delivery).toMatchObject({ request: null, attempts: [{ requestHeaders: null }] });
    const listed = await store.send('get', `/webhooks/${webhook.id}/deliveries`);
    expect(listed.body.deliveries[0]).not.toHaveProperty('request');

    // Another origin: the stored secrets would be sent there.
    const elsewhere = { url: 'https://example.com/' };
    expect(pointers(await replace(store, webhook.id, elsewhere))).toEqual([
      'invalid_body',
      '/headers/Authorization',
    ]);
    const hidden = { ...settings, headers: { Authorization: '***' } };
    expect(pointers(await replace(store, webhook.id, { ...hidden, ...elsewhere }))).toEqual([
      'invalid_body',
      '/headers/Authorization',
    ]);
    expect((await replace(store, webhook.id, { ...settings, ...elsewhere })).status).toBe(200);
    // A name is removed from the list.
    expect(pointers(await replace(store, webhook.id, { ...elsewhere, secretHeaders: [] }))).toEqual([
      'invalid_body',
      '/headers/Authorization',
    ]);
    expect((await replace(store, webhook.id, { ...hidden, ...elsewhere })).body.webhook.headers).toEqual({
      Authorization: '***',
    });
  });
});

describe('a filter', () => {
  test('leaves no delivery for events that do not pass; a test call is not filtered, a replay is', async () => {
    const store = newStore();
    const filter = [{ path: 'data.product.name', op: 'startsWith', value: 'Green' }];
    const webhook = await created(store, { filter });
    for (const name of ['Black Tea', 'Green Tea', 'Red Tea', 'Green Cup']) await store.createProduct(name);
    await calledWith(store, 2);
    const names = () => store.calls().map(({ body }) => JSON.parse(body).data.product.name);
    expect(names().sort()).toEqual(['Green Cup', 'Green Tea']);
    expect((await store.deliveries(webhook.id)).length).toBe(2);
    expect((await store.send('post', `/webhooks/${webhook.id}/test`)).status).toBe(202);
    await calledWith(store, 3);
    await replace(store, webhook.id, { filter: [{ path: 'data.product.name', op: 'is', value: 'Red Tea' }] });
    const since = new Date(Date.now() - 600_000).toISOString();
    const { body } = await store.send('post', `/webhooks/${webhook.id}/replay`, { since });
    const done = await eventually(async () => {
      const res = await store.send('get', `/webhooks/${webhook.id}/replays/${body.replay.id}`);
      return res.body.replay.state === 'done' && res.body.replay;
    });
    expect(done).toMatchObject({ matched: 1, sent: 1 });
    expect(names().at(-1)).toBe('Red Tea');
  });

  test('looks at the event as the webhook may read it', async () => {
    const store = newStore();
    const filter = [{ path: 'data.product.name', op: 'exists', value: false }];
    const res = await store.sendWithLess('post', '/webhooks', {
      url: store.url,
      events: ['product.created'],
      filter,
    });
    expect(res.status).toBe(201);
    await store.createProduct();
    const [call] = await calledWith(store);
    expect(Object.keys(JSON.parse(call!.body).data.product)).toEqual(['id']);
  });
});

describe('the format cloudevents', () => {
  test('is a CloudEvent in structured mode', async () => {
    const store = newStore();
    const webhook = await created(store, { format: 'cloudevents' });
    const product = await store.createProduct();
    const [call] = await calledWith(store);
    expect(call!.headers['content-type']).toBe('application/cloudevents+json');
    const event = JSON.parse(call!.body);
    expect(event).toEqual({
      specversion: '1.0',
      id: call!.headers['x-wb-event-id'],
      source: `/stores/${store.storeId}`,
      type: 'product.created',
      subject: product.id,
      time: expect.stringMatching(/Z$/),
      datacontenttype: 'application/json',
      data: { product },
    });
    const [delivery] = await deliveryOf(store, webhook.id);
    const { request } = await eventually(async () => {
      const { body } = await store.send('get', `/webhooks/${webhook.id}/deliveries/${delivery!.id}`);
      return body.delivery.request && body.delivery;
    });
    expect(request.body).toBe(call!.body);
  });
});

describe('own retry rules', () => {
  const settled = (store: Store, id: string) =>
    eventually(async () => {
      const [delivery] = await store.deliveries(id);
      return ['dead', 'delivered'].includes(delivery?.status) && delivery;
    });

  test('replace the schedule; without delays there is no retry', async () => {
    const [none, one] = [newStore(), newStore()];
    receiver.answer(500);
    const webhooks = [await created(none, { retryDelays: [] }), await created(one, { retryDelays: [1] })];
    await none.createProduct();
    await one.createProduct();
    expect(await settled(none, webhooks[0]!.id)).toMatchObject({ status: 'dead', attempt: 1 });
    expect(await settled(one, webhooks[1]!.id)).toMatchObject({ status: 'dead', attempt: 2 });
    receiver.answer(200);
  });

  test('end on 410 where that is set', async () => {
    const [stops, goesOn] = [newStore(), newStore()];
    receiver.answer((call, res) => {
      res.writeHead(call.headers['x-wb-attempt'] === '1' ? 410 : 200).end();
    });
    const webhooks = [await created(stops, { stopsOnGone: true }), await created(goesOn)];
    await stops.createProduct();
    await goesOn.createProduct();
    expect(await settled(stops, webhooks[0]!.id)).toMatchObject({
      status: 'dead',
      attempt: 1,
      lastStatusCode: 410,
    });
    expect(await settled(goesOn, webhooks[1]!.id)).toMatchObject({ status: 'delivered', attempt: 2 });
    receiver.answer(200);
  });

  test('wait as Retry-After asks where that is set, never less than the schedule, never more than a day', async () => {
    const retryAfter = async (value: string, settings: object, status = 503) => {
      const store = newStore();
      receiver.answer((call, res) => {
        if (!call.path.startsWith(`/${store.storeId}`)) res.end();
        else res.writeHead(status, { 'retry-after': value }).end();
      });
      const webhook = await created(store, { retryDelays: [100], ...settings });
      await store.createProduct();
      const delivery = await eventually(async () => {
        const [found] = await store.deliveries(webhook.id);
        return found?.status === 'retrying' && found;
      });
      return (Date.parse(delivery.nextAttemptAt) - Date.now()) / 1000;
    };
    const honors = { honorsRetryAfter: true };
    const near = (seconds: number, expected: number) => expect(Math.abs(seconds - expected)).toBeLessThan(20);
    near(await retryAfter('1000', honors), 1000);
    near(await retryAfter('1000', {}), 100);
    near(await retryAfter('3', honors), 100);
    near(await retryAfter('86401', honors), 100);
    near(await retryAfter('1000', honors, 500), 100);
    near(await retryAfter(new Date(Date.now() + 2_000_000).toUTCString(), honors, 429), 2000);
    receiver.answer(200);
  });
});

describe('a rate', () => {
  test('lets no more calls start in any second, tests and retries included', async () => {
    const store = newStore();
    const webhook = await created(store, { maxPerSecond: 4, retryDelays: [1] });
    let nth = 0;
    receiver.answer((call, res) => {
      res.writeHead(call.path.startsWith(`/${store.storeId}`) && ++nth % 3 === 0 ? 500 : 200).end();
    });
    for (let n = 0; n < 8; n++) await store.createProduct();
    for (let n = 0; n < 2; n++) await store.send('post', `/webhooks/${webhook.id}/test`);
    const calls = await calledWith(store, 12);
    const times = calls.map(({ at }) => at).sort((a, b) => a - b);
    for (const [i, at] of times.slice(4).entries()) expect(at - times[i]!).toBeGreaterThanOrEqual(1000);
    receiver.answer(200);
  });
});

describe('an order by resource', () => {
  test('has calls about one thing go one after another, in the order of its events', async () => {
    const store = newStore();
    const events = ['product.created', 'product.updated'];
    await created(store, { events, ordering: 'resource', retryDelays: [1] });
    let nth = 0;
    let isBusy = false;
    const overlaps: string[] = [];
    receiver.answer((call, res) => {
      if (!call.path.startsWith(`/${store.storeId}`)) return void res.end();
      if (isBusy) overlaps.push(call.body);
      isBusy = true;
      const status = ++nth === 2 ? 500 : 200;
      setTimeout(() => {
        isBusy = false;
        res.writeHead(status).end();
      }, 20);
    });
    const { id } = await store.createProduct('0');
    for (let n = 1; n < 6; n++) await store.send('patch', `/products/${id}`, { name: String(n) });
    const calls = await calledWith(store, 7);
    const names = calls.map(({ body }) => JSON.parse(body).data.product.name);
    expect(names).toEqual(['0', '1', '1', '2', '3', '4', '5']);
    expect(overlaps).toEqual([]);
    receiver.answer(200);
  });
});

describe('batches', () => {
  test('go when they are full or old, with one signature, and each event keeps its record', async () => {
    const store = newStore();
    const webhook = await created(store, { batch: { maxEvents: 3, maxSeconds: 1 }, retryDelays: [1] });
    receiver.answer((call, res) => {
      res.writeHead(call.headers['x-wb-attempt'] === '1' ? 500 : 200).end();
    });
    const ids: string[] = [];
    for (let n = 0; n < 4; n++) ids.push((await store.createProduct(String(n))).id);
    const calls = await calledWith(store, 4);
    const sent = calls.map(({ body, headers }) => ({
      id: headers['x-wb-event-id'] as string,
      attempt: headers['x-wb-attempt'],
      type: headers['x-wb-event-type'],
      names: JSON.parse(body).events.map(
        (event: { data: { product: { name: string } } }) => event.data.product.name,
      ),
    }));
    expect(sent.every(({ id, type }) => id.startsWith('whb_') && type === undefined)).toBe(true);
    const byId = Map.groupBy(sent, ({ id }) => id);
    expect([...byId.values()].map((each) => each.map(({ attempt }) => attempt))).toEqual([
      ['1', '2'],
      ['1', '2'],
    ]);
    for (const each of byId.values()) expect(each[0]!.names).toEqual(each[1]!.names);
    expect([...byId.values()].map(([first]) => first!.names.length).sort()).toEqual([1, 3]);
    const deliveries = await eventually(async () => {
      const all = await store.deliveries(webhook.id);
      return all.every(({ status }: { status: string }) => status === 'delivered') && all;
    });
    expect(deliveries.length).toBe(4);
    const full = calls.find(({ body }) => JSON.parse(body).events.length === 3)!;
    const record = await store.send('get', `/webhooks/${webhook.id}/deliveries/${deliveries.at(-1).id}`);
    expect(record.body.delivery.request.body).toBe(full.body);
    receiver.answer(200);
  });

  test('of one are test calls and redeliveries, at once', async () => {
    const store = newStore();
    const webhook = await created(store, { batch: { maxEvents: 100, maxSeconds: 60 } });
    await store.send('post', `/webhooks/${webhook.id}/test`);
    const [call] = await calledWith(store);
    expect(call!.headers).toMatchObject({
      'x-wb-test': '1',
      'x-wb-event-id': expect.stringMatching(/^whb_/),
    });
    expect(JSON.parse(call!.body).events.length).toBe(1);
    const [delivery] = await deliveryOf(store, webhook.id);
    await eventually(async () => (await store.deliveries(webhook.id))[0].status === 'delivered');
    await store.send('post', `/webhooks/${webhook.id}/deliveries/${delivery!.id}/redeliver`);
    expect(JSON.parse((await calledWith(store, 2))[1]!.body).events.length).toBe(1);
  });
});

describe('a queue of RabbitMQ', () => {
  test('gets the envelope with the headers of the contract; a redelivery goes there, too', async () => {
    const store = newStore();
    const name = `waybill-test-${randomBytes(6).toString('hex')}`;
    const model = await connect(amqpUrl);
    const channel = await model.createChannel();
    await channel.assertQueue(name, { exclusive: true });
    const messages: { body: string; headers: Record<string, string> }[] = [];
    await channel.consume(
      name,
      (message) => {
        messages.push({ body: message!.content.toString(), headers: message!.properties.headers as never });
      },
      { noAck: true },
    );
    const destination = { kind: 'rabbitmq', url: amqpUrl, exchange: '', routingKey: name };
    const webhook = await created(store, {
      url: 'https://ignored.example/',
      destination,
      headers: { 'X-A': 'b' },
    });
    expect(webhook.url).toBeNull();
    const product = await store.createProduct();
    await eventually(() => messages.length === 1);
    const [message] = messages;
    const envelope = JSON.parse(message!.body);
    expect(envelope).toMatchObject({ type: 'product.created', data: { product } });
    expect(message!.headers).toMatchObject({
      'X-WB-Event-Id': envelope.id,
      'X-WB-Event-Type': 'product.created',
      'X-WB-Attempt': '1',
      'X-WB-Signature': expect.stringMatching(/^sha256=/),
    });
    expect(message!.headers).not.toHaveProperty('X-A');
    const delivery = await eventually(async () => {
      const [found] = await store.deliveries(webhook.id);
      return found?.status === 'delivered' && found;
    });
    const { body } = await store.send('get', `/webhooks/${webhook.id}/deliveries/${delivery.id}`);
    const { username, password } = new URL(amqpUrl);
    expect(body.delivery.request.body).toBe(message!.body);
    expect(body.delivery.attempts[0].requestHeaders).toEqual(message!.headers);
    expect(body.delivery.request.url).toContain(`${username}@`);
    expect(body.delivery.request.url).not.toContain(`:${password}@`);
    const { checks } = (await store.send('post', `/webhooks/${webhook.id}/check`)).body;
    expect(checks.every(({ state }: { state: string }) => state !== 'failed')).toBe(true);
    await store.send('post', `/webhooks/${webhook.id}/deliveries/${delivery.id}/redeliver`);
    await eventually(() => messages.length === 2);
    expect(messages[1]!.headers['X-WB-Attempt']).toBe('2');
    await model.close();
  });
});

describe('a check', () => {
  test('makes a call that leaves no record, and says what fails', async () => {
    const store = newStore();
    const webhook = await created(store);
    const check = async () => (await store.send('post', `/webhooks/${webhook.id}/check`)).body.checks;
    const stateOf = (checks: { id: string; state: string }[]) =>
      Object.fromEntries(checks.map(({ id, state }) => [id, state]));
    expect(stateOf(await check())).toEqual({
      name: 'ok',
      connection: 'ok',
      tls: 'warning',
      answer: 'ok',
      clock: 'ok',
    });
    expect(store.calls()[0]!.headers['x-wb-test']).toBe('1');
    receiver.answer(500);
    expect(stateOf(await check())).toMatchObject({ answer: 'failed' });
    receiver.answer((call, res) => {
      const isOurs = call.path.startsWith(`/${store.storeId}`);
      if (isOurs) setTimeout(() => res.writeHead(200, { date: new Date(0).toUTCString() }).end(), 300);
      else res.end();
    });
    const [first, second] = await Promise.all([
      store.send('post', `/webhooks/${webhook.id}/check`),
      store.send('post', `/webhooks/${webhook.id}/check`),
    ]);
    const [ok, refused] = first!.status === 200 ? [first, second] : [second, first];
    expect(stateOf(ok!.body.checks)).toMatchObject({ answer: 'ok', clock: 'warning' });
    expect(refused!.body.code).toBe('invalid_state');
    // Slow, but a call has 10 seconds.
    receiver.answer((_, res) => void setTimeout(() => res.end(), 2_700));
    expect(stateOf(await check())).toMatchObject({ answer: 'warning' });
    receiver.answer(200);
    expect(await store.deliveries(webhook.id)).toEqual([]);
    expect(await store.status(webhook.id)).toBe('active');
  });
});

test('secrets are neither in answers nor in the clear in the database', async () => {
  const store = newStore();
  const webhook = await created(store, { headers: { 'X-Key': 'v3ry-s3cret' }, secretHeaders: ['X-Key'] });
  expect(JSON.stringify(webhook)).not.toContain('v3ry');
  const sql = `do $$ begin if exists (select from webhook_endpoint e where e::text like '%v3ry-s3cret%') then raise 'in the clear'; end if; end $$`;
  await runSql(hooks.system, 'webhooks', sql);
});
