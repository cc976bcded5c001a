import { eventually, type ReceivedCall, runSql } from '@waybill/testing';
import pg from 'pg';
import { startWebhooks, type Webhooks } from './webhook-stores.ts';

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

describe('what a call tells', () => {
  const dataOf = ({ body }: ReceivedCall) => JSON.parse(body).data.product;

  test('is what the key may read that has made the endpoint, or last replaced it', async () => {
    const store = newStore();
    const { webhook } = await store.subscribe(['product.created', 'product.deleted', 'course.enrolled']);
    expect(webhook).toMatchObject({ reducedEvents: [], description: '', appId: null });
    const all = await store.createProduct('All');
    // The rights of the member who created or last replaced it count at the time of the call.
    await eventually(() => store.calls().length === 1);
    const { url, events } = webhook;
    const body = { url, events, description: 'Told less' };
    const put = (await store.sendWithLess('put', `/webhooks/${webhook.id}`, body)).body.webhook;
    const reducedEvents = ['product.created', 'product.deleted'];
    expect(put).toMatchObject({ description: 'Told less', reducedEvents });
    const less = await store.createProduct('Less');
    await store.send('delete', `/products/${less.id}`);
    await eventually(() => store.calls().length === 3);
    const received = store
      .calls()
      .map((call) => [JSON.parse(call.body).type, dataOf(call)])
      .sort();
    expect(received).toEqual(
      expect.arrayContaining([
        ['product.created', all],
        ['product.created', { id: less.id }],
        ['product.deleted', { id: less.id }],
      ]),
    );
    // A member with more rights reads it and writes it back unchanged: it now gets more.
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

  test('changes by rights and by the end of an overlap, which is no change of the endpoint', async () => {
    const store = newStore();
    const { webhook } = await store.subscribe();
    const path = `/webhooks/${webhook.id}`;
    expect((await store.send('post', `${path}/rotate-secret`)).status).toBe(200);
    const { etag } = (await store.send('get', path)).headers;
    await store.removeCreator();
    await runSql(
      system,
      'webhooks',
      `update webhook_endpoint set previous_secret_expires_at = now() where id = '${webhook.id}'`,
    );
    const read = await store.send('get', path);
    expect(read.body.webhook).toMatchObject({
      reducedEvents: ['product.created'],
      previousSecretExpiresAt: null,
    });
    expect(read.headers.etag).toBe(etag);
    expect((await store.send('get', path, undefined, { 'if-none-match': etag! })).status).toBe(304);
    const { url, events } = webhook;
    const put = (description: string) =>
      store.send('put', path, { url, events, description }, { 'if-match': etag! });
    expect((await put('Changed')).status).toBe(200);
    expect((await put('Changed again')).status).toBe(412);
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
    const received = Map.groupBy(store.calls(), ({ path }) => path);
    expect(received.get(`/${store.storeId}`)!.map(dataOf)).toEqual([product, product]);
    expect(received.get(`/${store.storeId}/less`)!.map(dataOf)).toEqual([
      { id: product.id },
      { id: product.id },
    ]);
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
