import { eventually, startReceiver } from '@waybill/testing';
import { type Caller, createCaller } from '../../testing/client.ts';
import { type SharedSystem, topologies } from './topologies.ts';

describe.each(topologies)('$name', ({ share }) => {
  let system: SharedSystem;
  let call: Caller;
  beforeAll(async () => {
    system = await share();
    call = createCaller(system.baseUrl, system.demo.apiKey);
  });

  /** Returns a query for the events from now on. */
  async function fromNow(): Promise<string> {
    for (let after = ''; ; ) {
      const { body } = await call('GET', `/api/v1/events?limit=200${after}`);
      if (body.events.length === 0) return `wait=30&type=product.created,nonsense${after}`;
      after = `&after=${body.nextCursor}`;
    }
  }

  test('an event that nobody is called for is in the log, in front of who waits for it', async () => {
    const query = await fromNow();
    const waiting = call('GET', `/api/v1/events?${query}`);
    const { body } = await call('POST', '/api/v1/products', { name: 'Logged tea' });
    const page = await waiting;
    expect(page.status).toBe(200);
    expect(page.body.events[0]).toMatchObject({
      type: 'product.created',
      data: { product: { id: body.product.id, name: 'Logged tea' } },
    });
    expect(page.body.nextCursor).toBe(page.body.events.at(-1).id);
    const { id } = page.body.events[0];
    const one = await call('GET', `/api/v1/events/${id}`);
    expect([one.status, one.body.event]).toEqual([200, page.body.events[0]]);
  });

  test('a credential gets only ids of a domain that it may not read', async () => {
    const query = await fromNow();
    const { body: login } = await createCaller(system.baseUrl, undefined)(
      'POST',
      '/api/auth/login',
      system.demo.merchant,
    );
    const owner = createCaller(system.baseUrl, login.accessToken);
    const keys = `/api/stores/${system.demo.storeId}/api-keys`;
    const created = await owner('POST', keys, { name: 'Bookkeeping', scopes: ['webhooks.read'] });
    const blind = createCaller(system.baseUrl, created.body.secret);
    const { body } = await call('POST', '/api/v1/products', { name: 'Secret tea' });
    const page = await blind('GET', `/api/v1/events?${query}`);
    expect(page.body.events[0].data).toEqual({ product: { id: body.product.id } });
    const one = await blind('GET', `/api/v1/events/${page.body.events[0].id}`);
    expect(one.body.event.data).toEqual({ product: { id: body.product.id } });
  });

  test('events from the time when a webhook was disabled can be replayed', async () => {
    const receiver = await startReceiver();
    try {
      const endpoint = { url: receiver.url, events: ['product.created'] };
      const { body: created } = await call('POST', '/api/v1/webhooks', endpoint);
      const path = `/api/v1/webhooks/${created.webhook.id}`;
      await call('PUT', path, { ...endpoint, status: 'disabled' });
      const since = new Date(Date.now() - 1000).toISOString();
      expect(await call('POST', `${path}/replay`, { since })).toMatchObject({
        status: 409,
        body: { code: 'invalid_state' },
      });
      const query = await fromNow();
      const { body } = await call('POST', '/api/v1/products', { name: 'Missed tea' });
      const { body: log } = await call('GET', `/api/v1/events?${query}`);
      const missed = log.events.find(({ data }: { data: { product: { id: string } } }) => {
        return data.product.id === body.product.id;
      });
      await call('PUT', path, endpoint);
      const started = await call('POST', `${path}/replay`, { since, types: ['product.created'] });
      expect(started).toMatchObject({
        status: 202,
        body: { replay: { state: 'running', finishedAt: null } },
      });
      const ofReplay = `${path}/replays/${started.body.replay.id}`;
      const ended = await eventually(async () => {
        const { replay } = (await call('GET', ofReplay)).body;
        return replay.state === 'done' && replay;
      });
      expect(ended.sent).toBe(ended.matched);
      expect(receiver.calls.map(({ headers }) => headers['webhook-id'])).toContain(missed.id);
      expect((await call('GET', `${path}/replays`)).body).toMatchObject({ total: 1, nextCursor: null });
      const { body: history } = await call('GET', `${path}/deliveries?eventId=${missed.id}`);
      expect(history.deliveries).toMatchObject([{ status: 'delivered', eventId: missed.id }]);
      expect((await call('DELETE', ofReplay)).status).toBe(204);
      for (const [input, code] of [
        [{}, 'invalid_body'],
        [{ since: 'now' }, 'invalid_body'],
        [{ since, types: ['nonsense'] }, 'invalid_event'],
        [{ since, statuses: ['pending'] }, 'invalid_status'],
      ] as const) {
        expect((await call('POST', `${path}/replay`, input)).body.code).toBe(code);
      }
      await call('DELETE', path);
    } finally {
      await receiver.close();
    }
  });

  test('a webhook is called with its filter, headers, order, rate and batches', async () => {
    const receiver = await startReceiver();
    const paths: string[] = [];
    const create = async (path: string, settings: object) => {
      const endpoint = { url: `${receiver.url}/${path}`, events: ['product.created', 'product.updated'] };
      const { status, body } = await call('POST', '/api/v1/webhooks', { ...endpoint, ...settings });
      expect(status).toBe(201);
      paths.push(`/api/v1/webhooks/${body.webhook.id}`);
      return paths.at(-1)!;
    };
    const name = `Set tea ${Date.now()}`;
    const filter = [{ path: 'data.product.name', op: 'startsWith', value: name }];
    try {
      const ordered = await create('ordered', {
        filter,
        ordering: 'resource',
        headers: { 'X-Key': 'k3y' },
        secretHeaders: ['X-Key'],
      });
      await create('slow', { filter, maxPerSecond: 2 });
      await create('batched', { filter, batch: { maxEvents: 3, maxSeconds: 5 } });
      const { body } = await call('POST', '/api/v1/products', { name: `${name} 0` });
      await call('POST', '/api/v1/products', { name: 'Another tea' });
      for (const n of [1, 2, 3, 4, 5])
        await call('PATCH', `/api/v1/products/${body.product.id}`, { name: `${name} ${n}` });
      const to = (path: string) => receiver.calls.filter((each) => each.path === `/${path}`);
      await eventually(
        () => to('ordered').length === 6 && to('slow').length === 6 && to('batched').length === 2,
      );
      const namesOf = (text: string) => {
        const { events, data } = JSON.parse(text);
        return events
          ? events.map((event: { data: { product: { name: string } } }) => event.data.product.name)
          : data.product.name;
      };
      const expected = [0, 1, 2, 3, 4, 5].map((n) => `${name} ${n}`);
      expect(to('ordered').map((each) => namesOf(each.body))).toEqual(expected);
      expect(to('ordered').every(({ headers }) => headers['x-key'] === 'k3y')).toBe(true);
      const times = to('slow')
        .map(({ at }) => at)
        .sort((a, b) => a - b);
      for (const [i, at] of times.slice(2).entries()) expect(at - times[i]!).toBeGreaterThanOrEqual(1000);
      expect(
        to('batched')
          .flatMap((each) => namesOf(each.body))
          .sort(),
      ).toEqual(expected);
      const { checks } = (await call('POST', `${ordered}/check`)).body;
      expect(checks.map(({ id }: { id: string }) => id)).toEqual([
        'name',
        'connection',
        'tls',
        'answer',
        'clock',
      ]);
    } finally {
      for (const path of paths) await call('DELETE', path);
      await receiver.close();
    }
  });

  test('invalid, foreign and expired cursors are distinguished', async () => {
    const read = async (after: string) => {
      const { status, body } = await call('GET', `/api/v1/events?after=${after}`);
      return [status, body.code];
    };
    expect(await read('evt_01h00000000000000000000000')).toEqual([410, 'cursor_expired']);
    expect(await read('prd_01h00000000000000000000000')).toEqual([400, 'invalid_cursor']);
    expect((await call('GET', '/api/v1/events/evt_nobody')).status).toBe(404);
    expect((await call('POST', '/api/v1/events', {})).status).toBe(405);
  });
});
