import type { ServerResponse } from 'node:http';
import { eventually, runSql } from '@waybill/testing';
import { startWebhooks, type Webhooks } from './webhook-stores.ts';

let hooks: Webhooks;
let system: Webhooks['system'];
let receiver: Webhooks['receiver'];
let newStore: Webhooks['newStore'];
beforeAll(async () => {
  hooks = await startWebhooks();
  ({ system, receiver, newStore } = hooks);
});
afterAll(() => hooks.stop());

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
        requestHeaders: expect.objectContaining({
          'X-WB-Attempt': '1',
          'X-WB-Event-Type': 'product.created',
        }),
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
        attempt: 1,
        startedAt: '2026-11-20T10:00:00.000Z',
        durationMs: 1500,
        statusCode: 200,
        error: '',
        responseHeaders: null,
        requestHeaders: null,
        responseBody: null,
      },
    ]);
  });
});

describe('the list of deliveries', () => {
  /**
   * Creates a store with one endpoint and a number of deliveries, every third of them dead, every second of another
   * type.
   */
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
    // A cursor works for the same list with pages of any length.
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
